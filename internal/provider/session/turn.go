package session

import "context"

// TakeTurn waits until no other resource of the run is between its comparison with the plan and its write. Each resource compares alone: what only two
// changes cause together would go unseen if both compared before either of them wrote. The caller calls end after the write, once.
func (s *Session) TakeTurn(ctx context.Context) (end func(), err error) {
	s.mu.Lock()
	if s.turn == nil {
		s.turn = make(chan struct{}, 1)
	}
	turn := s.turn
	s.mu.Unlock()
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
