"""What only the papers' tables need and no user calls; see the README beside this file."""
