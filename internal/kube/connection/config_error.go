package connection

// ConfigError is returned for a Connection that cannot be used, before anything is sent to a cluster. It says nothing about whether the
// cluster exists. The message contains no credentials and no file contents.
type ConfigError struct {
	// Field is the argument's path in snake_case, as in Problem; empty for the connection as a whole.
	Field   string
	Message string
}

func (e *ConfigError) Error() string { return e.Message }
