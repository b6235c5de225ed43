"""`python -m caesura` is `caesura`."""

from caesura.cli import main

main()
