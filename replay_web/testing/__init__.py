"""The laws of the pages, to run on any ruleset."""
