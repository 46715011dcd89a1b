"""What commands share: options, output, refusals, prompt and progress."""
