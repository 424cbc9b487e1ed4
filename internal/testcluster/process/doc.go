// Package process starts the servers of a test cluster so that none can outlive its supervisor, and distinguishes a recorded process from a later one with the
// same PID.
package process
