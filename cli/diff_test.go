package cli

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"rung/compiler"
	"rung/model"
	"rung/pages/difference"
	"rung/revision"
	"rung/sources/manifests"
)

// manyWorkloads is a revision of many workloads, with a policy that denies everything or without.
func manyWorkloads(t *testing.T, n int, deny bool) *revision.Revision {
	t.Helper()
	docs := []string{"apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"}
	for i := range n {
		docs = append(docs, fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: app%d, namespace: shop}\nspec: {selector: {matchLabels: {app: a%d}}, template: {metadata: {labels: {app: a%d}}}}\n", i, i, i))
	}
	if deny {
		docs = append(docs, "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: shut, namespace: shop}\nspec: {podSelector: {}}\n")
	}
	r := manifests.Parse("x.yaml", []byte(strings.Join(docs, "---\n")), manifests.Options{})
	c, _ := (*model.Cluster)(nil).Upsert(r.Objects, nil)
	return revision.New(revision.Facts{Cluster: c, Desired: compiler.Compile(c, compiler.Options{IPv4: true, Defaults: compiler.On})}, nil)
}

// TestCommentHasRoom: a comment of a pull request is never longer than its host takes, whatever follows
// it; what has no room is counted, and a short one has all.
func TestCommentHasRoom(t *testing.T) {
	for _, workloads := range []int{5, 60} {
		names := [2]string{"before", "after"}
		f, err := difference.Compare(t.Context(), manyWorkloads(t, workloads, false), manyWorkloads(t, workloads, true), names, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, below := range []string{"", strings.Repeat("ü", 9_000)} {
			text := commentText(f, below)
			if n := utf8.RuneCountInString(text + below); n > maxCommentRunes {
				t.Errorf("%d workloads: %d characters", workloads, n)
			}
			rows := strings.Count(text, "\n| closes |")
			more := regexp.MustCompile("and ([0-9,]+) more: `rung diff").FindStringSubmatch(text)
			left := 0
			if more != nil {
				_, _ = fmt.Sscan(strings.ReplaceAll(more[1], ",", ""), &left)
			}
			if rows+left != len(f.Connections) || (workloads == 5) != (left == 0) || rows == 0 {
				t.Errorf("%d workloads: %d rows and %d more, of %d", workloads, rows, left, len(f.Connections))
			}
			if strings.Count(text, "<details>") != strings.Count(text, "</details>") {
				t.Error("a fold is not closed")
			}
		}
	}
}
