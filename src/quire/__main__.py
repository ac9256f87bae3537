"""`python -m quire`: the command line."""

from quire.cli import main

main()
