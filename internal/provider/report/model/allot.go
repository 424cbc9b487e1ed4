package model

// Allot divides space among parts. Each part gets the space that it wants, up to the space that is reserved for it. The first parts get the rest, up to the
// space that they want. If the reserved space is larger than the whole, each part gets a proportional share.
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
