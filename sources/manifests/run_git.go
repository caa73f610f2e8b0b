package manifests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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

// lingers is how long a killed git may keep its output open.
const lingers = time.Second

// fixedArgs come before every command: no pager, no lock, and no program of the repository's configuration.
var fixedArgs = []string{"--no-pager", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull,
	"-c", "core.pager=cat", "-c", "core.askPass=", "-c", "core.sshCommand=false", "-c", "core.gitProxy=", "-c", "credential.helper=",
	"-c", "protocol.allow=never"}

// fixedEnv is added to git's environment: no fetch, no questions, and English messages to search.
var fixedEnv = []string{"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C"}

// leftOut reports whether a variable is withheld from git: it names a program, or fills standard error.
func leftOut(variable string) bool {
	name, _, _ := strings.Cut(variable, "=")
	return strings.HasPrefix(name, "GIT_TRACE") || slices.Contains([]string{"GIT_EXTERNAL_DIFF", "GIT_PAGER", "PAGER", "GIT_SSH",
		"GIT_SSH_COMMAND", "GIT_PROXY_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_EDITOR", "LANGUAGE"}, name)
}

// runGit runs git until ctx ends and returns its output, at most limit bytes.
func runGit(ctx context.Context, stdin string, limit int64, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", slices.Concat(fixedArgs, args)...)
	cmd.Env, cmd.WaitDelay = append(slices.DeleteFunc(os.Environ(), leftOut), fixedEnv...), lingers
	var said bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader(stdin), &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	switch err := cmd.Start(); {
	case errors.Is(err, exec.ErrNotFound):
		return nil, errors.New("git is not installed")
	case err != nil:
		return nil, err
	}
	text, readErr := files.ReadAll(out, 0, limit)
	if readErr != nil {
		_ = cmd.Process.Kill() // it would block on its output
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
		return nil, gitError(said.String(), err)
	}
	return text, nil
}

// errNotInClone means the text of a file is not in the clone.
var errNotInClone = errors.New("its text is not in this clone, and Rung never fetches: run git fetch --refetch")

// gitError returns the message of a failed git on one line.
func gitError(said string, err error) error {
	said = strings.TrimSpace(said)
	if _, fatal, ok := strings.Cut("\n"+said, "\nfatal: "); ok { // after warnings
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
		return errors.New(words.CleanText(folder) + " is not in a git repository")
	case strings.HasSuffix(line, " from promisor remote"):
		return errNotInClone
	case strings.HasPrefix(line, "detected dubious ownership"):
		return errors.New("git rejects this repository, since another user owns it; git config --global --add safe.directory allows it")
	}
	return errors.New("git: " + words.CleanText(line))
}

// errAnswer means git's output has an unexpected form.
var errAnswer = errors.New("unexpected answer from git")

// gitObject is git's answer to a name: a kind such as "blob" or "tree", or "missing" or "ambiguous".
type gitObject struct {
	kind, id string
	size     int64
	text     []byte // nil if not asked for
}

// askObjects asks git for objects by name, with their texts if wanted. Names must not have line feeds.
func askObjects(ctx context.Context, withText bool, names ...string) (out []gitObject, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	in := strings.Join(names, "\n") + "\n"
	command, limit := "--batch-check", int64(len(in)+100*len(names))
	if withText {
		command, limit = "--batch", limit+readLimit
	}
	rest, err := runGit(ctx, in, limit, "cat-file", command)
	for _, name := range names {
		if err != nil {
			return nil, err
		}
		var o gitObject
		o, rest, err = takeObject(rest, name, withText)
		out = append(out, o)
	}
	if len(rest) > 0 {
		return nil, errAnswer
	}
	return out, err
}

// takeObject reads git's answer to a name, and returns what follows it.
func takeObject(text []byte, name string, withText bool) (o gitObject, rest []byte, err error) {
	head, rest, _ := bytes.Cut(text, []byte("\n"))
	if why, ok := strings.CutPrefix(string(head), name+" "); ok && !withText && (why == "missing" || why == "ambiguous") {
		return gitObject{kind: why, id: name}, rest, nil
	}
	fields := strings.Fields(string(head))
	if len(fields) != 3 || !isObjectID(fields[0]) {
		return o, nil, errAnswer
	}
	o = gitObject{kind: fields[1], id: fields[0]}
	if o.size, err = strconv.ParseInt(fields[2], 10, 64); err != nil || o.size < 0 {
		return o, nil, errAnswer
	}
	if withText {
		if o.size >= int64(len(rest)) || rest[o.size] != '\n' {
			return o, nil, errAnswer
		}
		o.text, rest = rest[:o.size:o.size], rest[o.size+1:]
	}
	return o, rest, nil
}

// forgetMissing removes the objects of a tree that are missing from this clone.
func forgetMissing[T any](ctx context.Context, root string, byID map[string]T) error {
	text, err := runGit(ctx, "", listLimit, "rev-list", "--objects", "--missing=print", "--no-object-names", "--end-of-options", root)
	for line := range strings.Lines(string(text)) {
		if id, ok := strings.CutPrefix(strings.TrimSpace(line), "?"); ok {
			delete(byID, id)
		}
	}
	return err
}

// isObjectID reports whether a text is a git object id.
func isObjectID(s string) bool {
	return len(s) >= 40 && strings.Trim(s, "0123456789abcdef") == ""
}
