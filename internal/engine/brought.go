package engine

import "maps"

// Brought maps each cluster to the kinds, or Namespaces, that placements of this run create there, and each of these to the name of the placement.
type Brought[K comparable] map[string]map[K]string

// Add records what a placement creates on each cluster. If another placement already creates the same kind or Namespace, Add keeps that placement.
func (b *Brought[K]) Add(placement string, brings map[string][]K) {
	for cluster, keys := range brings {
		for _, key := range keys {
			if *b == nil {
				*b = Brought[K]{}
			}
			if (*b)[cluster] == nil {
				(*b)[cluster] = map[K]string{}
			}
			if (*b)[cluster][key] == "" {
				(*b)[cluster][key] = placement
			}
		}
	}
}

// Withdraw removes the records of a placement.
func (b Brought[K]) Withdraw(placement string) {
	for _, keys := range b {
		maps.DeleteFunc(keys, func(_ K, by string) bool { return by == placement })
	}
}

// Clone returns a copy.
func (b Brought[K]) Clone() Brought[K] {
	out := Brought[K]{}
	for cluster, keys := range b {
		out[cluster] = maps.Clone(keys)
	}
	return out
}

// With returns a copy that has the records of other, too. For the same kind or Namespace on the same cluster, other takes precedence.
func (b Brought[K]) With(other Brought[K]) Brought[K] {
	out := b.Clone()
	for cluster, keys := range other {
		out[cluster] = mergeMaps(out[cluster], keys)
	}
	return out
}
