package connection

// ConfigError is a Connection that cannot be used. It is found before anything is sent to a cluster, and says nothing of whether the
// cluster exists. The message holds no credentials and no contents of files.
type ConfigError struct {
	// Field is the argument's path in snake_case, as in Problem; empty for the connection as a whole.
	Field   string
	Message string
}

func (e *ConfigError) Error() string { return e.Message }
