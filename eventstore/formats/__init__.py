"""Games as files: the record file, which loses nothing, and tables for spreadsheets."""
