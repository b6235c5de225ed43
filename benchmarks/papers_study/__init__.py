"""The tables and figures of the papers as a list of jobs, each of which writes one file."""
