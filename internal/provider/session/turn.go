package session

// TakeTurn waits until no other resource of the run is between its comparison with the plan and its write. Each resource compares alone: what only two
// changes cause together would go unseen if both compared before either of them wrote. The caller calls end after the write.
func (s *Session) TakeTurn() (end func()) {
	s.turn.Lock()
	return s.turn.Unlock
}
