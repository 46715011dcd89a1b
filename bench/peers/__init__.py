"""What Tabletape is measured against."""
