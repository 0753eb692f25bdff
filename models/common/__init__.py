"""What every room uses: errors, files, exact numbers, array types, checks of arguments, pictures."""
