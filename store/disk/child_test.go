package disk_test

func child(string) int { return 1 }
