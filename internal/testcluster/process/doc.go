// Package process starts the servers of a test cluster so that none of them
// can outlive its supervisor, and tells a recorded process from a stranger
// that was given the same pid later.
package process
