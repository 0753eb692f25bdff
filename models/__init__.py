"""What a game is: extensive and normal form, treeplex, sequence form, strategies, evaluation."""
