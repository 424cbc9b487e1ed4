package connection

// ConfigError is returned for a Connection that cannot be used, before anything is sent to a cluster. The message contains no credentials.
type ConfigError struct {
	// Field is the path of the argument in snake_case, as in [Problem]. It is empty for the connection as a whole.
	Field   string
	Message string
}

func (e *ConfigError) Error() string { return e.Message }
