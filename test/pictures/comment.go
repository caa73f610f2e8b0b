package main

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	markdown "github.com/yuin/goldmark/renderer/html"

	"rung/test/install"
)

// commentName names the picture.
const commentName = "pull-request"

// commentStyle has what a forge does with markdown: sizes, rules between the rows of a table, a frame.
const commentStyle = `body { margin: 24px; background: #fff; color: #1f2328; font: 14px/1.5 "DejaVu Sans", sans-serif; }
.comment { border: 1px solid #d1d9e0; border-radius: 6px; }
.author { background: #f6f8fa; border-bottom: 1px solid #d1d9e0; padding: 8px 16px; color: #59636e; }
.body { padding: 8px 16px 16px; }
h3 { margin: 12px 0 8px; font-size: 17px; }
table { border-collapse: collapse; margin: 8px 0; font-size: 12px; }
th, td { border: 1px solid #d1d9e0; padding: 4px 9px; text-align: left; }
tr:nth-child(2n) { background: #f6f8fa; }
code { background: #eff1f3; padding: 1px 4px; border-radius: 4px; }
details { margin: 6px 0; } summary { font-weight: 600; } ul { padding-left: 24px; }`

// commentHTML is the comment on a change of the demo's policies: rung's own markdown, of two revisions of a
// repository.
func commentHTML(ctx context.Context, bin, scratch string) ([]byte, error) {
	text, err := commentText(ctx, bin, scratch)
	if err != nil {
		return nil, err
	}
	return commentPage(text)
}

// commentText makes a repository of the demo's manifests in which a branch turns a rule round, and
// returns what rung says of it.
func commentText(ctx context.Context, bin, scratch string) ([]byte, error) {
	root, err := install.Root()
	if err != nil {
		return nil, err
	}
	examples, err := filepath.Glob(filepath.Join(root, "examples", "*.yaml"))
	if err != nil {
		return nil, err
	}
	run := func(name string, args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Dir = scratch
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
		out, err := cmd.Output()
		if err != nil && !(name == bin && cmd.ProcessState.ExitCode() == 2) { // 2: not all could be judged
			return nil, fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
		}
		return out, nil
	}
	manifests := filepath.Join(scratch, "manifests")
	if err := os.Mkdir(manifests, 0o700); err != nil {
		return nil, err
	}
	for _, from := range examples {
		text, err := os.ReadFile(from)
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(manifests, filepath.Base(from)), text, 0o600); err != nil {
			return nil, err
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "base"}} {
		if _, err := run("git", args...); err != nil {
			return nil, err
		}
	}
	path := filepath.Join(manifests, "10-cluster-control.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	const rule = "- name: \"allow-to-splunk\" # rule2\n    action: "
	changed := strings.Replace(string(text), rule+`"Allow"`, rule+`"Deny"`, 1)
	if changed == string(text) {
		return nil, fmt.Errorf("%s has no rule allow-to-splunk to turn round", path)
	}
	if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
		return nil, err
	}
	return run(bin, "diff", "git:main:manifests", "manifests", "-o", "markdown")
}

// commentPage is markdown as a page, with what is folded first unfolded, as after a click.
func commentPage(text []byte) ([]byte, error) {
	var body bytes.Buffer
	convert := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(markdown.WithUnsafe()))
	if err := convert.Convert(text, &body); err != nil {
		return nil, err
	}
	unfolded := strings.Replace(body.String(), "<details>", "<details open>", 1)
	return []byte("<!doctype html><meta charset=utf-8><title>" + html.EscapeString(commentName) + "</title><style>" + commentStyle +
		"</style><div class=comment><div class=author>rung commented</div><div class=body>" + unfolded + "</div></div>"), nil
}
