//go:build unix

package credential

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

const version = "client.authentication.k8s.io/v1"

// newScriptPlugin returns a plugin that runs a shell script.
func newScriptPlugin(t *testing.T, text string) *Plugin {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell")
	}
	plugin, err := For(&rest.Config{Host: "https://c", ExecProvider: &clientcmdapi.ExecConfig{
		APIVersion: version, Command: "sh", Args: []string{"-c", text, t.Name()},
		Env: []clientcmdapi.ExecEnvVar{{Name: "PLANTED", Value: "hunter2"}}, ProvideClusterInfo: true,
	}})
	if err != nil {
		t.Fatal(err)
	}
	return plugin
}

func TestFailures(t *testing.T) {
	for name, test := range map[string]struct{ text, says string }{
		"stderr":             {`echo hunter2; echo "expired; run: az login" >&2; exit 3`, `the command "sh" failed with exit code 3. It says: expired; run: az login`},
		"lines":              {`printf 'one\n\ttwo\n\n' >&2; exit 1`, `exit code 1. It says: one; two`},
		"control":            {`printf '\033]0;pwned\007\033[2J\rApply complete!\302\205.' >&2; exit 1`, `It says: \x1b]0;pwned\a\x1b[2J\rApply complete!\u0085`},
		"its environment":    {`echo "bad $PLANTED" >&2; exit 1`, `It says: bad ***`},
		"long":               {`head -c 100000 /dev/zero | tr '\0' x >&2; echo " the end" >&2; exit 1`, `It says: ...xxx`},
		"nothing":            {`true`, `printed nothing`},
		"not a credential":   {`echo hunter2`, `printed something that is not an ExecCredential`},
		"another version":    {`echo '{"kind":"ExecCredential","apiVersion":"hunter2/v9","status":{"token":"t"}}'`, `another apiVersion than the requested ` + version},
		"no status":          {`echo '{"kind":"ExecCredential","apiVersion":"` + version + `"}'`, `without a status`},
		"no token":           {`echo '{"kind":"ExecCredential","apiVersion":"` + version + `","status":{}}'`, `without a token`},
		"half a pair":        {`echo '{"kind":"ExecCredential","apiVersion":"` + version + `","status":{"clientKeyData":"hunter2"}}'`, `not both`},
		"no pair":            {`echo '{"kind":"ExecCredential","apiVersion":"` + version + `","status":{"clientKeyData":"hunter2","clientCertificateData":"hunter2"}}'`, `do not match`},
		"token of two lines": {`printf %s '{"kind":"ExecCredential","apiVersion":"` + version + `","status":{"token":"hunter2\nhunter2"}}'`, `a token with a line break`},
		"endless output":     {`while :; do echo hunter2hunter2hunter2hunter2hunter2hunter2hunter2; done | head -c 2000000`, `printed more than 1024 KiB`},
	} {
		t.Run(name, func(t *testing.T) {
			plugin := newScriptPlugin(t, test.text)
			_, err := plugin.get(t.Context(), nil)
			var failed *Error
			if !errors.As(err, &failed) || !strings.Contains(err.Error(), test.says) {
				t.Fatalf("%v does not say %q", err, test.says)
			}
			if strings.Contains(err.Error(), "hunter2") || len(err.Error()) > 1000 {
				t.Errorf("the error quotes the output or is too long: %v", err)
			}
			if _, again := plugin.get(t.Context(), nil); again != err { //nolint:errorlint // the very same
				t.Errorf("the plugin ran again: %v", again)
			}
		})
	}
}

// A failed command runs again after retryFailureAfter.
func TestFailureIsRetried(t *testing.T) {
	failed := filepath.Join(t.TempDir(), "failed")
	plugin := newScriptPlugin(t, `if [ ! -e `+failed+` ]; then touch `+failed+`; exit 1; fi
printf '{"kind":"ExecCredential","apiVersion":"`+version+`","status":{"token":"t"}}'`)
	if _, err := plugin.get(t.Context(), nil); err == nil {
		t.Fatal("the first run did not fail")
	}
	plugin.failedAt = plugin.failedAt.Add(-retryFailureAfter)
	if got, err := plugin.get(t.Context(), nil); err != nil || got.token != "t" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestMissingCommand(t *testing.T) {
	plugin := newPlugin(clientcmdapi.ExecConfig{APIVersion: version, Command: "./no-such-command", InstallHint: "brew install it\x1b"}, "")
	if _, err := plugin.get(t.Context(), nil); err == nil || err.Error() != `the command "./no-such-command" is not found. It says: brew install it\x1b` {
		t.Error(err)
	}
}

// TestCredentials checks the input of a command, and how long its output is cached.
func TestCredentials(t *testing.T) {
	counter := filepath.Join(t.TempDir(), "count")
	plugin := newScriptPlugin(t, `echo x >> `+counter+`
case "$KUBERNETES_EXEC_INFO" in *'"server":"https://c"'*) ;; *) exit 9;; esac
printf '{"kind":"ExecCredential","apiVersion":"`+version+`","status":{"token":"t%s\\n","expirationTimestamp":"%s"}}' $(wc -l < `+counter+`) "$(cat `+counter+`.expires)"`)
	expire := func(at time.Time) {
		t.Helper()
		if err := os.WriteFile(counter+".expires", []byte(at.UTC().Format(time.RFC3339)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	expire(time.Now().Add(time.Hour))
	var wait sync.WaitGroup
	for range 10 {
		wait.Go(func() {
			if got, err := plugin.get(t.Context(), nil); err != nil || got.token != "t1" {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	wait.Wait()
	first, err := plugin.get(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	expire(time.Now().Add(-time.Hour))
	if got, err := plugin.get(t.Context(), first); err != nil || got.token != "t2" {
		t.Errorf("rejected: %+v, %v", got, err)
	}
	if got, err := plugin.get(t.Context(), nil); err != nil || got.token != "t3" {
		t.Errorf("expired: %+v, %v", got, err)
	}
}

// newHangingPlugin returns a plugin that never ends, and the file to which it writes the process ID of a child.
func newHangingPlugin(t *testing.T, limit time.Duration) (*Plugin, string) {
	t.Helper()
	pid := filepath.Join(t.TempDir(), "pid")
	plugin := newScriptPlugin(t, `echo 'open https://login and enter the code' >&2; sleep 1000 & echo $! > `+pid+`.new; mv `+pid+`.new `+pid+`; wait`)
	plugin.limit = limit
	return plugin, pid
}

// A hanging plugin is killed with its child processes at the timeout. On a busy machine it may need more time to start them.
func TestHangingPluginIsEnded(t *testing.T) {
	for limit := 500 * time.Millisecond; ; limit *= 4 {
		plugin, pid := newHangingPlugin(t, limit)
		_, err := plugin.get(t.Context(), nil)
		if _, notStarted := os.Stat(pid); notStarted != nil && limit < time.Minute {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "within "+limit.String()) || !strings.Contains(err.Error(), "It says: open https://login") {
			t.Errorf("%v", err)
		}
		waitForExit(t, awaitPID(t, pid))
		return
	}
}

// A hanging plugin is also killed when its caller is cancelled.
func TestAbandonedPluginIsEnded(t *testing.T) {
	plugin, pid := newHangingPlugin(t, time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := plugin.get(ctx, nil)
		ended <- err
	}()
	child := awaitPID(t, pid)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	waitForExit(t, child)
}

// A child process of a plugin is killed when the plugin has returned credentials or failed, whether or not the child keeps a pipe open.
func TestChildOfEndedPluginIsEnded(t *testing.T) {
	for name, end := range map[string]string{
		"credentials": `echo '{"kind":"ExecCredential","apiVersion":"` + version + `","status":{"token":"t"}}'`, "failure": "exit 3",
	} {
		for pipes, redirected := range map[string]string{"pipes": "", "no pipes": ">/dev/null 2>&1 </dev/null"} {
			t.Run(name+", "+pipes, func(t *testing.T) {
				pid := filepath.Join(t.TempDir(), "pid")
				plugin := newScriptPlugin(t, `sleep 1000 `+redirected+` & echo $! > `+pid+`.new; mv `+pid+`.new `+pid+`; `+end)
				if _, err := plugin.get(t.Context(), nil); (err == nil) != (name == "credentials") {
					t.Errorf("%v", err)
				}
				waitForExit(t, awaitPID(t, pid))
			})
		}
	}
}

// waitForExit waits until a process has ended.
func waitForExit(t *testing.T, pid int) {
	t.Helper()
	for began := time.Now(); syscall.Kill(pid, 0) == nil && !isZombie(pid); {
		if time.Since(began) > time.Minute {
			t.Fatal("the plugin's child process is still running")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func awaitPID(t *testing.T, path string) int {
	t.Helper()
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(5 * time.Millisecond) {
		if text, err := os.ReadFile(path); err == nil {
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
	}
	t.Fatal("the plugin did not start")
	return 0
}

// isZombie reports whether a process has ended but its parent has not reaped it.
func isZombie(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(text), ") Z ")
}
