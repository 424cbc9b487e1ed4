package session

import (
	"context"
	"slices"
)

// TakeTurn waits until no other resource of the run is between its comparison with the plan and its write. Each resource compares alone: what only two
// changes cause together would go unseen if both compared before either of them wrote. The caller calls end after the write, once.
func (s *Session) TakeTurn(ctx context.Context) (end func(), err error) {
	return s.TakeTurns(ctx, "") // no placement has this name
}

// TakeTurns waits until no other resource of the run applies or removes one of the placements, or takes objects over from one of them. The caller calls end
// once.
func (s *Session) TakeTurns(ctx context.Context, placements ...string) (end func(), err error) {
	var taken []chan struct{}
	end = func() {
		for _, turn := range taken {
			<-turn
		}
	}
	slices.Sort(placements) // all take them in one order, so that none waits for another one for ever
	for _, name := range slices.Compact(placements) {
		turn := s.turnOf(name)
		select {
		case turn <- struct{}{}:
			taken = append(taken, turn)
		case <-ctx.Done():
			end()
			return nil, context.Cause(ctx)
		}
	}
	return end, nil
}

func (s *Session) turnOf(name string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	turn, found := s.turns[name]
	if !found {
		turn = make(chan struct{}, 1)
		put(&s.turns, name, turn)
	}
	return turn
}
