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

// foundObject is git's answer to a name: a kind such as "blob" or "tree", or "missing" or "ambiguous".
type foundObject struct {
	kind, id string
	size     int64
}

// findObjects asks git for objects by name. Names must not have line feeds.
func findObjects(ctx context.Context, names []string) (out []foundObject, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	in := strings.Join(names, "\n") + "\n"
	text, err := runGit(ctx, in, int64(len(in)+100*len(names)), "cat-file", "--batch-check")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(lines) != len(names) {
		return nil, errAnswer
	}
	for i, line := range lines {
		if why, ok := strings.CutPrefix(line, names[i]+" "); ok && (why == "missing" || why == "ambiguous") {
			out = append(out, foundObject{kind: why, id: names[i]})
			continue
		}
		fields := strings.Fields(line)
		if len(fields) != 3 || !isObjectID(fields[0]) {
			return nil, errAnswer
		}
		size, err := strconv.ParseInt(fields[2], 10, 64)
		if err != nil || size < 0 {
			return nil, errAnswer
		}
		out = append(out, foundObject{fields[1], fields[0], size})
	}
	return out, nil
}

// readObjects returns the texts of objects by id.
func readObjects(ctx context.Context, objects []foundObject) (map[string][]byte, error) {
	if len(objects) == 0 {
		return nil, nil
	}
	var in, heads []string
	limit := int64(0)
	for _, o := range objects {
		in, heads = append(in, o.id), append(heads, fmt.Sprintf("%s %s %d\n", o.id, o.kind, o.size))
		limit += int64(len(heads[len(heads)-1])) + o.size + 1
	}
	text, err := runGit(ctx, strings.Join(in, "\n")+"\n", limit, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for i, o := range objects {
		body, ok := bytes.CutPrefix(text, []byte(heads[i]))
		if !ok || int64(len(body)) <= o.size {
			return nil, errAnswer
		}
		out[o.id], text = body[:o.size:o.size], body[o.size+1:]
	}
	return out, nil
}

// missingBelow lists the objects of a tree that are missing from this clone.
func missingBelow(ctx context.Context, root string) (out []string, err error) {
	text, err := runGit(ctx, "", listLimit, "rev-list", "--objects", "--missing=print", "--no-object-names", "--end-of-options", root)
	for line := range strings.Lines(string(text)) {
		if id, ok := strings.CutPrefix(strings.TrimSpace(line), "?"); ok {
			out = append(out, id)
		}
	}
	return out, err
}

// isObjectID reports whether a text is a git object id.
func isObjectID(s string) bool {
	return len(s) >= 40 && strings.Trim(s, "0123456789abcdef") == ""
}
