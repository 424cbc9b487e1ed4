package convert

// each converts the elements of a list. It returns nil for nil, because an explicit empty list differs from an absent one.
func each[A, B any](in []A, convert func(A) B) []B {
	if in == nil {
		return nil
	}
	return all(in, convert)
}

// all converts the elements of a list that the API requires. It returns an empty list for nil.
func all[A, B any](in []A, convert func(A) B) []B {
	out := make([]B, len(in))
	for i, a := range in {
		out[i] = convert(a)
	}
	return out
}

// maybe converts the value of a pointer. It returns nil for nil.
func maybe[A, B any](in *A, convert func(A) B) *B {
	if in == nil {
		return nil
	}
	return new(convert(*in))
}
