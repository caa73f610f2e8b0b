//go:build unix

package journey_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"rung/test/install"
	"rung/test/wait"
)

// withPlugin is a kubeconfig whose user logs in with the command, as YAML, and the words.
func withPlugin(t *testing.T, server, command string) string {
	t.Helper()
	config := kubeconfig(t)
	text := strings.Replace(read(t, config), "https://127.0.0.1:1", server, 1)
	write(t, config, strings.Replace(text, "user: {}", "user: {exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: IfAvailable, "+
		"env: [{name: PLUGIN_HEARS, value: yes and no}], command: "+command+"}}", 1))
	return config
}

// TestPluginEndsWithRung: of a login plugin that hangs, with others that it has started
// and that hear no signal, nothing is left when Rung has ended, however that ended, and
// nobody holds what Rung printed to.
func TestPluginEndsWithRung(t *testing.T) {
	t.Parallel()
	for name, sig := range map[string]syscall.Signal{"request timeout": 0, "SIGINT": syscall.SIGINT, "SIGTERM": syscall.SIGTERM, "SIGKILL": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := short(t)
			pipe := filepath.Join(dir, "held") // by all that is the plugin's
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			plugin := script(t, `exec 9>'`+pipe+`'; trap "" TERM INT HUP; (while :; do sleep 1; done) & echo up >&9; while :; do sleep 1; done`)
			args := []string{"ladder", "--kubeconfig", withPlugin(t, "https://127.0.0.1:1", plugin)}
			if sig == 0 {
				args = append(args, "--request-timeout", "2s")
			}
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			cmd := exec.Command(install.Binary(t), args...)
			cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+filepath.Join(dir, "state"))
			cmd.Stdout, cmd.Stderr = w, w
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			_ = w.Close()
			held, err := os.OpenFile(pipe, os.O_RDONLY, 0) // succeeds when the plugin is there
			if err != nil {
				t.Fatal(err)
			}
			defer held.Close()
			up := make([]byte, 3)
			if _, err := io.ReadFull(held, up); err != nil || string(up) != "up\n" {
				t.Fatalf("%q %v", up, err)
			}
			if sig != 0 {
				signal(t, cmd.Process.Pid, sig)
			}
			left := make(chan string, 1)
			go func() {
				_ = cmd.Wait() // how it ends is TestSignalsWhileAPluginHangs
				said, err := io.ReadAll(r)
				if err != nil {
					said = append(said, err.Error()...)
				}
				_, _ = io.Copy(io.Discard, held)
				left <- string(said)
			}()
			select {
			case said := <-left:
				if sig == 0 && !strings.Contains(said, "no answer within 2s") {
					t.Errorf("it says\n%s", said)
				}
			case <-time.After(wait.Patience):
				t.Errorf("something is left: %v", started(t, filepath.Dir(plugin), dir))
				for pid := range started(t, filepath.Dir(plugin)) {
					_ = syscall.Kill(-pid, syscall.SIGKILL)
				}
			}
		})
	}
}

// TestPluginLogsIn: a login plugin is found as kubectl finds it, has its own arguments and
// environment, and gives its token; what it says arrives clean.
func TestPluginLogsIn(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]string{"on PATH": "editor", "beside the kubeconfig": "./editor", "absolute": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var token atomic.Value
			server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				token.Store(r.Header.Get("Authorization"))
				w.WriteHeader(http.StatusForbidden)
			}))
			defer server.Close()
			plugin := script(t, `printf 'see \033[31mred\007\r\nand no end' >&2
printf '%s|' "$@" "$PLUGIN_HEARS" >"$0.heard"
case $KUBERNETES_EXEC_INFO in *'"interactive":false'*) ;; *) exit 9;; esac
if (: </dev/tty) 2>/dev/null; then exit 8; fi
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"secret"}}'`)
			if command == "" {
				command = plugin
			}
			config := withPlugin(t, server.URL+`", insecure-skip-tls-verify: true, proxy-url: "`, command+", args: [login-plugin, a b, --help]")
			beside := filepath.Join(filepath.Dir(plugin), "kubeconfig")
			write(t, beside, read(t, config))
			cmd := exec.Command(install.Binary(t), "ladder", "--kubeconfig", beside)
			cmd.Env = append(os.Environ(), "HOME="+filepath.Dir(plugin), "XDG_STATE_HOME="+filepath.Dir(plugin),
				"PATH="+filepath.Dir(plugin)+string(os.PathListSeparator)+os.Getenv("PATH"))
			out, _ := cmd.CombinedOutput()
			if got, _ := token.Load().(string); got != "Bearer secret" {
				t.Errorf("the server got %q\n%s", got, out)
			}
			if heard := read(t, plugin+".heard"); heard != "login-plugin|a b|--help|yes and no|" {
				t.Errorf("the plugin got %s", heard)
			}
			if !strings.Contains(string(out), "see \ufffd[31mred\ufffd\nand no end\n") || strings.ContainsAny(string(out), "\x1b\a\r") {
				t.Errorf("it says\n%q", out)
			}
		})
	}
}

// TestPluginFails: the error names the plugin, and says what kubectl says.
func TestPluginFails(t *testing.T) {
	t.Parallel()
	plugin := script(t, "exit 7")
	cmd := exec.Command(install.Binary(t), "ladder", "--kubeconfig", withPlugin(t, "https://127.0.0.1:1", plugin))
	cmd.Env = append(os.Environ(), "HOME="+filepath.Dir(plugin), "XDG_STATE_HOME="+filepath.Dir(plugin))
	out, _ := cmd.CombinedOutput()
	if want := "exec: executable " + plugin + " failed with exit code 7"; !strings.Contains(string(out), want) || cmd.ProcessState.ExitCode() != 2 {
		t.Errorf("%v, %s\nwant %s", cmd.ProcessState, out, want)
	}
}
