package manifests

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/test/install"
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
	tree, err := Open(ctx, ref, DefaultFileSize, func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// A revision is a file system, with the texts of its files.
func TestTreeIsAFileSystem(t *testing.T) {
	files := map[string]string{"a.yaml": "a\n", "shop/b.yaml": "b", "shop/deep/c.yaml": "c\n\n", "empty": "", "with space/ü.yaml": "u"}
	repository(t, files)
	all := openAll(t, t.Context(), "main")
	got := map[string]string{}
	if err := fs.WalkDir(all, all.Top(), func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(all, p)
		got[p] = string(text)
		return err
	}); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(files, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	shop := openAll(t, t.Context(), "main:shop")
	if shop.Top() != "shop" || shop.Name("shop/b.yaml") != "git:main:shop/b.yaml" {
		t.Errorf("%q, %q", shop.Top(), shop.Name("shop/b.yaml"))
	}
	// A caller may change the list that it gets.
	list, err := fs.ReadDir(shop, "shop")
	if err != nil || len(list) != 2 {
		t.Fatalf("%v, %v", list, err)
	}
	clear(list)
	if again, err := fs.ReadDir(shop, "shop"); err != nil || len(again) != 2 || again[0] == nil {
		t.Errorf("%v, %v", again, err)
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

// Reading ends with its context.
func TestReadingEnds(t *testing.T) {
	repository(t, map[string]string{"a.yaml": "a"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Check(ctx, Ref{Rev: "main"}); !errors.Is(err, context.Canceled) {
		t.Errorf("checked after the end: %v", err)
	}
}

// A file that is too large is not read, and says how large it is.
func TestLargeFileOfRevision(t *testing.T) {
	repository(t, map[string]string{"a.yaml": "a", "large.yaml": strings.Repeat("x", 5000)})
	tree, err := Open(t.Context(), Ref{Rev: "main"}, 4999, isManifestName)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := tree.Stat("large.yaml"); err != nil || info.Size() != 5000 {
		t.Errorf("%v, %v", info, err)
	}
	if text, err := fs.ReadFile(tree, "a.yaml"); err != nil || string(text) != "a" {
		t.Errorf("%q, %v", text, err)
	}
}

// A link that no file system would take leads to nothing, not to its folder.
func TestLongLink(t *testing.T) {
	repository(t, map[string]string{"shop/a.yaml": "a"})
	hash := exec.Command("git", "hash-object", "-w", "--stdin")
	hash.Stdin = strings.NewReader(strings.Repeat("./", linkLimit) + "a.yaml")
	id, err := hash.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"update-index", "--add", "--cacheinfo", "120000," + strings.TrimSpace(string(id)) + ",shop/long.yaml"}, {"commit", "-q", "-m", "long"}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	if info, err := openAll(t, t.Context(), "main").Stat("shop/long.yaml"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, %v", info, err)
	}
}

// A file whose text is not in the repository is not an empty one.
func TestMissingText(t *testing.T) {
	repository(t, map[string]string{"a.yaml": "a", "b.yaml": "b"})
	id, err := exec.Command("git", "rev-parse", "main:b.yaml").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(".git", "objects", string(id[:2]), strings.TrimSpace(string(id[2:])))); err != nil {
		t.Fatal(err)
	}
	tree := openAll(t, t.Context(), "main")
	if text, err := fs.ReadFile(tree, "a.yaml"); err != nil || string(text) != "a" {
		t.Errorf("%q, %v", text, err)
	}
	if text, err := fs.ReadFile(tree, "b.yaml"); !errors.Is(err, errNotInClone) {
		t.Errorf("%q, %v", text, err)
	}
}

// A revision with more than can be held is refused before any of it is read.
func TestFilesOfRevisionAreBounded(t *testing.T) {
	repository(t, map[string]string{"a.yaml": strings.Repeat("a", 600), "b.yaml": strings.Repeat("b", 600)})
	was := readLimit
	defer func() { readLimit = was }()
	for limit, refused := range map[int64]bool{1199: true, 1200: false} {
		readLimit = limit
		_, err := Open(t.Context(), Ref{Rev: "main"}, DefaultFileSize, isManifestName)
		if (err != nil) != refused || refused && !strings.Contains(err.Error(), "more than the limit of 1") {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
}

// What git prints is an answer or none: a program in its place may print anything.
func TestAnswersOfGit(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	id := strings.Repeat("a1", 20)
	for _, answer := range []string{"", "x", id + " blob -1", id + " blob x", id + " blob 5\n" + id + " blob 5", "blob " + id + " 5"} {
		install.Script(t, filepath.Join(dir, "git"), "cat >/dev/null; echo '"+answer+"'")
		for _, withText := range []bool{false, true} {
			if found, err := askObjects(t.Context(), withText, id); err == nil || !withText && !errors.Is(err, errAnswer) {
				t.Errorf("%q: %v, %v", answer, found, err)
			}
		}
	}
}
