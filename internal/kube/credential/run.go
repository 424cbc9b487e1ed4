package credential

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
	"unicode"

	clientauthentication "k8s.io/client-go/pkg/apis/clientauthentication/v1"
	"sigs.k8s.io/yaml"
)

const (
	// maxStdout limits the output of a plugin, in bytes. Messages show the last maxStderr bytes of its stderr.
	maxStdout = 1 << 20
	maxStderr = 600
	// pipesOpenFor is the maximum time for which child processes may keep the pipes of a plugin open after its end.
	pipesOpenFor = time.Second
)

// run runs the command of the plugin. It kills the command at the timeout, or when the context ends. On Unix, run always kills the other processes in the
// command's process group as well, even if the command succeeds.
func (p *Plugin) run(ctx context.Context) (*Credentials, error) {
	ctx, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	stdout, stderr := &head{limit: maxStdout}, &tail{limit: maxStderr}
	command := exec.CommandContext(ctx, p.config.Command, p.config.Args...) //nolint:gosec // the command is what the user configured
	command.Env = append(os.Environ(), "KUBERNETES_EXEC_INFO="+p.input)
	for _, variable := range p.config.Env {
		command.Env = append(command.Env, variable.Name+"="+variable.Value)
	}
	command.Stdout, command.Stderr, command.WaitDelay = stdout, stderr, pipesOpenFor
	endWithChildren(command)
	err := command.Run()
	endChildren(command)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, p.errorf(stderr, "the command %q was stopped, because it returned no credentials within %s. It cannot prompt here: log in first, "+
			"or use a non-interactive login", p.config.Command, p.limit)
	case errors.As(err, &exit):
		return nil, p.errorf(stderr, "the command %q failed with exit code %d", p.config.Command, exit.ExitCode())
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return nil, p.errorf(&tail{text: []byte(p.config.InstallHint), limit: maxStderr}, "the command %q is not found", p.config.Command)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return nil, p.errorf(stderr, "the command %q cannot be run: %s", p.config.Command, reason(err))
	case stdout.isCut:
		return nil, p.errorf(stderr, "the command %q printed more than %d KiB", p.config.Command, maxStdout>>10)
	}
	found, problem := p.parse(stdout.text)
	if problem != "" {
		return nil, p.errorf(stderr, "the command %q printed %s", p.config.Command, problem)
	}
	return found, nil
}

func reason(err error) string {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// parse decodes the output of a plugin. A problem never quotes the output.
func (p *Plugin) parse(text []byte) (found *Credentials, problem string) {
	var printed clientauthentication.ExecCredential
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, "nothing instead of an ExecCredential"
	}
	if err := yaml.Unmarshal(text, &printed); err != nil || printed.Kind != "ExecCredential" {
		return nil, "something that is not an ExecCredential"
	}
	status := printed.Status
	switch {
	case printed.APIVersion != p.config.APIVersion:
		return nil, fmt.Sprintf("an ExecCredential of another apiVersion than the requested %s", p.config.APIVersion)
	case status == nil:
		return nil, "an ExecCredential without a status"
	case status.Token == "" && status.ClientCertificateData == "" && status.ClientKeyData == "":
		return nil, "an ExecCredential without a token or a client certificate"
	case (status.ClientCertificateData == "") != (status.ClientKeyData == ""):
		return nil, "an ExecCredential with a client certificate or its key, but not both"
	}
	found = &Credentials{token: strings.TrimSpace(status.Token)}
	if strings.ContainsFunc(found.token, unicode.IsControl) {
		return nil, "a token with a line break or another control character in it"
	}
	if status.ExpirationTimestamp != nil {
		found.expires = status.ExpirationTimestamp.Time
	}
	if status.ClientKeyData != "" {
		pair, err := tls.X509KeyPair([]byte(status.ClientCertificateData), []byte(status.ClientKeyData))
		if err != nil {
			return nil, "a client certificate and a key that do not match"
		}
		found.certificate = &pair
	}
	return found, ""
}

// errorf returns an *Error that also contains the command's stderr, because stderr is written for users. It masks the values that the
// connection sets in the command's environment, except very short ones.
func (p *Plugin) errorf(stderr *tail, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	output := string(stderr.text)
	for _, variable := range p.config.Env {
		if len(variable.Value) >= 6 {
			output = strings.ReplaceAll(output, variable.Value, "***")
		}
	}
	if output = onOneLine(output); output != "" {
		if stderr.isCut {
			output = "..." + output
		}
		text += ". It says: " + output
	}
	return &Error{Text: strings.TrimSuffix(text, ".")}
}

// onOneLine returns a text on one line and with escaped control characters, because a terminal shows it.
func onOneLine(text string) string {
	var lines []string
	for line := range strings.Lines(strings.ToValidUTF8(text, "?")) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	var out strings.Builder
	for _, r := range strings.Join(lines, "; ") {
		if unicode.IsGraphic(r) {
			out.WriteRune(r)
			continue
		}
		out.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
	}
	return out.String()
}

// head keeps the first limit bytes that are written to it.
type head struct {
	text  []byte
	limit int
	isCut bool
}

func (h *head) Write(p []byte) (int, error) {
	room := h.limit - len(h.text)
	h.isCut = h.isCut || len(p) > room
	h.text = append(h.text, p[:min(len(p), room)]...)
	return len(p), nil
}

// tail keeps the last limit bytes that are written to it.
type tail struct {
	text  []byte
	limit int
	isCut bool
}

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p[max(0, len(p)-t.limit):]...)
	if over := len(t.text) - t.limit; over > 0 || len(p) > t.limit {
		t.text, t.isCut = bytes.Clone(t.text[max(0, over):]), true
	}
	return len(p), nil
}
