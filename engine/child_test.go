package engine_test

func child(string) int { return 1 }
