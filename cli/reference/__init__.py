"""Programs that write the reference pages in docs/."""
