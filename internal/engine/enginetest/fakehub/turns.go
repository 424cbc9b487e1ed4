package fakehub

import "sync"

// Turns lets only one caller at a time work on a name. The methods named Rest of the fake control planes use it, with the name of a placement or a namespace.
type Turns struct {
	mu    sync.Mutex
	turns map[string]*turn
}

// turn counts the callers for a name. One of them has the lock.
type turn struct {
	sync.Mutex
	callers int
}

// Begin waits until no other caller works on a name.
func (t *Turns) Begin(name string) (end func()) {
	t.mu.Lock()
	one := t.turns[name]
	if one == nil {
		if t.turns == nil {
			t.turns = map[string]*turn{}
		}
		one = &turn{}
		t.turns[name] = one
	}
	one.callers++
	t.mu.Unlock()
	one.Lock()
	return func() {
		one.Unlock()
		t.mu.Lock()
		defer t.mu.Unlock()
		one.callers--
	}
}

// IsBusy reports whether a caller works on a name, or waits to.
func (t *Turns) IsBusy(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.turns[name]
	return one != nil && one.callers > 0
}
