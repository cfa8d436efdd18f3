"""`python -m canfetch`."""

from canfetch.cli.main import main

if __name__ == "__main__":
    main()
