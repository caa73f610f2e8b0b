package manifests

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// repository makes a repository with one commit of some files and works in it.
func repository(t *testing.T, files map[string]string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal("git is not installed")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	for _, key := range []string{"GIT_AUTHOR", "GIT_COMMITTER"} {
		t.Setenv(key+"_NAME", "a")
		t.Setenv(key+"_EMAIL", "a@example.com")
		t.Setenv(key+"_DATE", "2026-01-02T03:04:05Z")
	}
	t.Setenv("HOME", dir)
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if target, ok := strings.CutPrefix(text, "-> "); ok {
			if err := os.Symlink(target, name); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "base"}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
}

func openAll(t *testing.T, ctx context.Context, text string) *Tree {
	t.Helper()
	ref, err := ParseRef(text)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := Open(ctx, ref, func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tree.Close)
	return tree
}

// A revision is a file system as others are, with the texts of its files.
func TestTreeIsAFileSystem(t *testing.T) {
	repository(t, map[string]string{"a.yaml": "a\n", "shop/b.yaml": "b", "shop/deep/c.yaml": "c\n\n", "empty": "", "with space/ü.yaml": "u"})
	if err := fstest.TestFS(openAll(t, t.Context(), "main"), "a.yaml", "shop/b.yaml", "shop/deep/c.yaml", "empty", "with space/ü.yaml"); err != nil {
		t.Error(err)
	}
	shop := openAll(t, t.Context(), "main:shop")
	if shop.Top() != "shop" || shop.Name("shop/b.yaml") != "git:main:shop/b.yaml" {
		t.Errorf("%q, %q", shop.Top(), shop.Name("shop/b.yaml"))
	}
	if _, err := shop.Stat("a.yaml"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file beside what was asked for: %v", err)
	}
	// Nothing of it follows the work tree.
	if err := os.WriteFile("shop/b.yaml", []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := fs.ReadFile(shop, "shop/b.yaml"); err != nil || string(text) != "b" {
		t.Errorf("%q, %v", text, err)
	}
}

// Links are followed inside the revision.
func TestLinks(t *testing.T) {
	repository(t, map[string]string{"a.yaml": "a", "shop/in.yaml": "-> ../a.yaml", "shop/out.yaml": "-> ../../a.yaml", "shop/etc.yaml": "-> /etc/passwd",
		"shop/gone.yaml": "-> nothing", "shop/loop.yaml": "-> loop.yaml", "shop/folder.yaml": "-> ../shop", "shop/through.yaml": "-> folder.yaml/in.yaml"})
	tree := openAll(t, t.Context(), "main:shop")
	for name, want := range map[string]string{"in.yaml": "a", "through.yaml": "a"} {
		if text, err := fs.ReadFile(tree, "shop/"+name); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if tree.Identity("shop/in.yaml") != tree.Identity("shop/through.yaml") {
		t.Error("two links to one file are two")
	}
	for _, name := range []string{"out.yaml", "etc.yaml", "gone.yaml", "loop.yaml"} {
		if text, err := fs.ReadFile(tree, "shop/"+name); err == nil {
			t.Errorf("%s was read: %q", name, text)
		}
	}
	if info, err := tree.Stat("shop/folder.yaml"); err != nil || !info.IsDir() {
		t.Errorf("a link to a folder: %v, %v", info, err)
	}
}

// Reading ends with its context, and nothing is left behind.
func TestReadingEnds(t *testing.T) {
	repository(t, map[string]string{"a.yaml": "a", "b.yaml": "b"})
	ctx, cancel := context.WithCancel(t.Context())
	tree := openAll(t, ctx, "main")
	if text, err := fs.ReadFile(tree, "a.yaml"); err != nil || string(text) != "a" {
		t.Fatalf("%q, %v", text, err)
	}
	cancel()
	if _, err := fs.ReadFile(tree, "b.yaml"); !errors.Is(err, context.Canceled) {
		t.Errorf("read after the end: %v", err)
	}
	if err := Check(ctx, Ref{Rev: "main"}); !errors.Is(err, context.Canceled) {
		t.Errorf("checked after the end: %v", err)
	}
}

// FuzzReadFound: whatever git prints is an answer or none.
func FuzzReadFound(f *testing.F) {
	id := strings.Repeat("a1", 20)
	for _, seed := range []string{id + " blob 5\n", "x missing\n", "symlink 3\n../\n", "dangling -1\n", "loop 99\nx", id + " submodule\n", "\n"} {
		f.Add(seed, "x")
	}
	f.Fuzz(func(t *testing.T, text, name string) {
		found, err := readFound(bufio.NewReader(strings.NewReader(text)), name)
		if err == nil && found.kind == "" {
			t.Errorf("%q is an answer without a kind", text)
		}
	})
}
