package kube

import (
	"errors"
	"strings"
)

// credentialError is a credential plugin that failed. It replaces the error of client-go, which may quote what the plugin printed.
type credentialError struct{ text string }

func (e *credentialError) Error() string { return "no credentials: " + e.text }

// isCredentialFailure reports whether the credential plugin of a connection failed. client-go has no type for it.
func isCredentialFailure(err error) bool {
	var known *credentialError
	return errors.As(err, &known) || err != nil && !isAnswer(err) && strings.Contains(err.Error(), credentialMark)
}

const credentialMark = "getting credentials: "

// asCredentialError keeps of a plugin's failure what is safe to show.
func asCredentialError(err error) *credentialError {
	var known *credentialError
	if errors.As(err, &known) {
		return known
	}
	_, text, _ := strings.Cut(err.Error(), credentialMark)
	if strings.HasPrefix(text, "decoding stdout") {
		text = "what the command printed is not an ExecCredential"
	}
	text, _, _ = strings.Cut(text, "\n")
	return &credentialError{strings.TrimPrefix(text, "exec: ")}
}
