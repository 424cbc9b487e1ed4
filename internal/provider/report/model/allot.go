package model

// Allot divides space among parts: each gets up to its reserve, and the first parts get the rest. If the reserves need more than the space, each gets its share
// of the space.
func Allot(wanted, reserved []int, space int) []int {
	out := make([]int, len(wanted))
	total := 0
	for i := range wanted {
		out[i] = min(wanted[i], reserved[i])
		total += out[i]
	}
	if total > space {
		for i := range out {
			out[i] = out[i] * max(0, space) / total
		}
		return out
	}
	space -= total
	for i := range wanted {
		more := min(wanted[i]-out[i], space)
		out[i] += more
		space -= more
	}
	return out
}
