package model

// Allot divides space among parts: each gets up to its reserve, and the first parts get the rest.
func Allot(wanted, reserved []int, space int) []int {
	out := make([]int, len(wanted))
	for i := range wanted {
		out[i] = min(wanted[i], reserved[i])
		space -= out[i]
	}
	for i := range wanted {
		more := max(0, min(wanted[i]-out[i], space))
		out[i] += more
		space -= more
	}
	return out
}
