package session

import "sync"

// Set is a set that is safe for concurrent use.
type Set[K comparable] struct {
	mu   sync.Mutex
	keys map[K]bool
}

// Add adds a key, and reports whether the set did not have it.
func (s *Set[K]) Add(key K) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keys[key] {
		return false
	}
	put(&s.keys, key, true)
	return true
}

// Has reports whether the set has a key.
func (s *Set[K]) Has(key K) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys[key]
}
