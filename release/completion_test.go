package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rung/test/install"
	"rung/test/term"
)

// Each shell, with what the package for Debian brought along, completes a word that somebody types.
func TestCompletions(t *testing.T) {
	root := t.TempDir()
	output(t, command(t, "dpkg-deb", "-x", one(t, "*.deb"), root))
	share := filepath.Join(root, "usr", "share")
	rc := filepath.Join(t.TempDir(), ".zshrc")
	for path, text := range map[string]string{
		rc:           "PS1='$ '\nfpath=(" + share + "/zsh/vendor-completions $fpath)\nautoload -U compinit; compinit -u\necho ready\n",
		rc + ".bash": "PS1='$ '\n. /usr/share/bash-completion/bash_completion\necho ready\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for shell, args := range map[string][]string{
		"bash": {"--noprofile", "--rcfile", rc + ".bash", "-i"},
		"zsh":  {"-i"},
		"fish": {"--init-command", "echo ready"},
	} {
		t.Run(shell, func(t *testing.T) {
			if _, err := os.Stat("/usr/share/bash-completion/bash_completion"); shell == "bash" && err != nil {
				install.Server(t, "the package bash-completion")
			}
			d := term.Start(t, term.Options{Path: install.Server(t, shell), Args: args, Env: []string{
				"PATH=" + filepath.Join(root, "usr", "bin") + ":" + os.Getenv("PATH"), "XDG_DATA_DIRS=" + share + ":/usr/share", "ZDOTDIR=" + filepath.Dir(rc),
			}})
			d.WaitFor("ready")
			d.Type("rung ladd\t")
			d.WaitFor("rung ladder")
			// Values are those of the program: nothing else knows the stages.
			d.Type("--stage to-l\t")
			d.WaitFor("--stage to-lport")
		})
	}
}

// krew unpacks the archive into its store and links the plugin: kubectl finds it, its texts say
// how it is called, and kubectl completes it.
func TestKrew(t *testing.T) {
	kubectl := filepath.Join(os.Getenv(KubeVar), "kubectl")
	if _, err := os.Stat(kubectl); os.Getenv(KubeVar) == "" || err != nil {
		if os.Getenv(install.RequireVar) == "1" {
			t.Fatalf("no kubectl in %s: %v", KubeVar, err)
		}
		t.Skipf("no kubectl in %s: this test did not run", KubeVar)
	}
	krew := t.TempDir()
	store, bin := filepath.Join(krew, "store", "rung", "v1"), filepath.Join(krew, "bin")
	for _, dir := range []string{store, bin} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	output(t, command(t, "tar", "-x", "-f", archive(t, ".tar.gz"), "-C", store))
	if err := os.Symlink(filepath.Join(store, "rung"), filepath.Join(bin, "kubectl-rung")); err != nil {
		t.Fatal(err)
	}
	ask := func(args ...string) string {
		t.Helper()
		cmd := command(t, kubectl, args...)
		cmd.Env = []string{"PATH=" + bin + ":" + filepath.Dir(kubectl), "HOME=" + krew}
		return output(t, cmd)
	}
	checkVersion(t, ask("rung", "version"))
	if text := ask("rung", "--help"); !strings.Contains(text, "\n  kubectl rung [flags] ") || strings.Contains(text, "\n  rung ") {
		t.Error(text)
	}
	if text := ask("plugin", "list"); !strings.Contains(text, "kubectl-rung") || strings.Contains(text, "warning") {
		t.Error(text)
	}
	script := ask("rung", "completion", "kubectl")
	if err := os.WriteFile(filepath.Join(bin, "kubectl_complete-rung"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if text := ask("__complete", "rung", "lad"); !strings.HasPrefix(text, "ladder\t") {
		t.Errorf("kubectl completes %q", text)
	}
}
