package session

import (
	"context"
	"slices"
)

// TakeTurn waits until no other resource of the run is between its comparison with the plan and its write. If two resources compared before either wrote,
// neither would detect an effect that only both changes have together. The caller calls end once, after the write. If ctx ends first,
// TakeTurn returns the cause as an error, and end is nil.
func (s *Session) TakeTurn(ctx context.Context) (end func(), err error) {
	return s.TakeTurns(ctx, "") // no placement has this name
}

// TakeTurns waits until no other resource of the run applies or removes one of the placements, or takes objects over from one of them. The caller calls end
// once, after its operation. If ctx ends first, TakeTurns returns the cause as an error, and end is nil. TakeTurns sorts placements.
func (s *Session) TakeTurns(ctx context.Context, placements ...string) (end func(), err error) {
	var taken []chan struct{}
	end = func() {
		for _, turn := range taken {
			<-turn
		}
	}
	slices.Sort(placements) // the same order for every caller prevents a deadlock
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
