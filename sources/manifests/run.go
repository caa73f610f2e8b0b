package manifests

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"rung/model/words"
	"rung/sources/files"
)

// lingers is how long a git that was ended may keep its output open.
const lingers = time.Second

// fixedArgs stand before every command: no pager, no lock, and none of the programs that a
// configuration, above all the repository's own, could have git run.
var fixedArgs = []string{"--no-pager", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull,
	"-c", "core.pager=cat", "-c", "core.askPass=", "-c", "core.sshCommand=false", "-c", "core.gitProxy=", "-c", "credential.helper=",
	"-c", "protocol.allow=never"}

// fixedEnv are variables that git is given besides its own: nothing is fetched, whoever allows it,
// nobody is asked, and messages are in English, as they are looked for here.
var fixedEnv = []string{"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C"}

// leftOut says whether a variable is kept from git: it names a program, or fills standard error.
func leftOut(variable string) bool {
	name, _, _ := strings.Cut(variable, "=")
	return strings.HasPrefix(name, "GIT_TRACE") || slices.Contains([]string{"GIT_EXTERNAL_DIFF", "GIT_PAGER", "PAGER", "GIT_SSH",
		"GIT_SSH_COMMAND", "GIT_PROXY_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_EDITOR", "LANGUAGE"}, name)
}

// gitCommand is a git with its arguments, which ends with ctx.
func gitCommand(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", slices.Concat(fixedArgs, args)...)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), leftOut), fixedEnv...)
	cmd.WaitDelay = lingers
	return cmd
}

// runGit runs git and returns its output of at most limit bytes.
func runGit(ctx context.Context, stdin string, limit int64, args ...string) ([]byte, error) {
	cmd := gitCommand(ctx, args...)
	var said bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader(stdin), &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, startError(err)
	}
	text, readErr := files.ReadAll(out, 0, limit)
	if readErr != nil {
		_ = cmd.Process.Kill() // it would wait to be read
	}
	err = cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(readErr, files.ErrTooLarge):
		return nil, fmt.Errorf("git printed more than %s", files.SizeText(limit))
	case readErr != nil:
		return nil, readErr
	case err != nil:
		return nil, saidError(said.String(), err)
	}
	return text, nil
}

func startError(err error) error {
	if errors.Is(err, exec.ErrNotFound) {
		return errors.New("git is not installed")
	}
	return err
}

// errNotHere says that the text of a file is not in the clone.
var errNotHere = errors.New("its text is not in this clone, and Rung fetches nothing: git fetch --refetch brings it")

// saidError is the message of a git that failed, in one line.
func saidError(said string, err error) error {
	said = strings.TrimSpace(said)
	if _, fatal, ok := strings.Cut("\n"+said, "\nfatal: "); ok { // behind warnings
		said = fatal
	}
	line, _, _ := strings.Cut(said, "\n")
	switch {
	case line == "":
		return fmt.Errorf("git: %w", err)
	case strings.HasPrefix(line, "not a git repository"):
		folder, err := filepath.Abs(".")
		if err != nil {
			folder = "this folder"
		}
		return errors.New(words.CleanText(folder) + " is in no git repository")
	case strings.HasSuffix(line, " from promisor remote"):
		return errNotHere
	case strings.HasPrefix(line, "detected dubious ownership"):
		return errors.New("git refuses this repository, which somebody else owns; git config --global --add safe.directory lets it")
	}
	return errors.New("git: " + words.CleanText(line))
}

// foundObject is git's answer to a name.
type foundObject struct {
	// kind is "blob", "tree" or another kind of object, or why there is none: "missing",
	// "ambiguous", "dangling", "loop", "notdir", and "symlink" for a link out of the tree.
	kind string
	id   string
	size int64
}

// findLimit bounds what git says of one name, in bytes: a link's target is some.
const findLimit = 8 << 10

// findObjects asks git for objects by their names, which have no line feed; links are followed
// inside a tree.
func findObjects(ctx context.Context, names []string) ([]foundObject, error) {
	text, err := runGit(ctx, strings.Join(names, "\n")+"\n", findLimit*int64(len(names)+1), "cat-file", "--batch-check", "--follow-symlinks")
	if err != nil {
		return nil, err
	}
	out := make([]foundObject, len(names))
	r := bufio.NewReader(bytes.NewReader(text))
	for i, name := range names {
		if out[i], err = readFound(r, name); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// errAnswer says that git printed something that is no answer.
var errAnswer = errors.New("git answered something that Rung does not understand")

// readFound reads one answer of cat-file --batch-check.
func readFound(r *bufio.Reader, name string) (found foundObject, err error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return found, errAnswer
	}
	line = strings.TrimSuffix(line, "\n")
	for _, why := range []string{"missing", "ambiguous"} {
		if line == name+" "+why {
			found.kind = why
			return found, nil
		}
	}
	words := strings.Fields(line)
	if len(words) == 2 && words[1] == "submodule" {
		found.kind = "missing"
		return found, nil
	}
	if len(words) == 2 { // a link that leads nowhere, with its target
		found.kind = words[0]
		n, err := strconv.ParseInt(words[1], 10, 32)
		if err != nil || n < 0 {
			return found, errAnswer
		}
		if _, err := r.Discard(int(n) + 1); err != nil {
			return found, errAnswer
		}
		return found, nil
	}
	if len(words) != 3 || !isObjectID(words[0]) {
		return found, errAnswer
	}
	found.id, found.kind = words[0], words[1]
	if found.size, err = strconv.ParseInt(words[2], 10, 64); err != nil {
		return found, errAnswer
	}
	return found, nil
}

// isObjectID says whether a text is the name that git gives an object by itself.
func isObjectID(s string) bool {
	return len(s) >= 40 && strings.Trim(s, "0123456789abcdef") == ""
}

// blobReader is a git that gives the text of one object after the other.
type blobReader struct {
	cmd   *exec.Cmd
	ask   io.WriteCloser
	out   *bufio.Reader
	ended error // why it is of no more use
}

func startBlobReader(ctx context.Context) (*blobReader, error) {
	b := &blobReader{cmd: gitCommand(ctx, "cat-file", "--batch")}
	out, err := b.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if b.ask, err = b.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := b.cmd.Start(); err != nil {
		return nil, startError(err)
	}
	b.out = bufio.NewReaderSize(out, 64<<10)
	return b, nil
}

// readBlob returns the text of an object of a size.
func (b *blobReader) readBlob(id string, size int64) (text []byte, err error) {
	if b.ended != nil {
		return nil, b.ended
	}
	if _, err := io.WriteString(b.ask, id+"\n"); err != nil {
		b.ended = fmt.Errorf("git ended: %w", err)
		return nil, b.ended
	}
	found, err := readFound(b.out, id)
	switch {
	case err != nil:
		b.ended = err
		return nil, err
	case found.kind == "missing":
		return nil, errNotHere
	case found.kind != "blob" || found.size != size:
		b.ended = errAnswer
		return nil, b.ended
	}
	text = make([]byte, size+1) // and the line feed behind it
	if _, err := io.ReadFull(b.out, text); err != nil {
		b.ended = fmt.Errorf("git ended: %w", err)
		return nil, b.ended
	}
	return text[:size], nil
}

// Close ends git.
func (b *blobReader) Close() {
	_ = b.ask.Close()
	_ = b.cmd.Wait() // it has nothing to say any more
}
