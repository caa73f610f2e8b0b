package command

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"k8s.io/client-go/util/jsonpath"

	"rung/model/words"
)

// columns is a table of kubectl -o custom-columns. It keeps the column widths printed so far for later lines.
type columns struct {
	titles, paths []string
	widths        []int
	titled        bool
}

// Smallest width of kubectl's columns, and the spaces behind them.
const leastColumn, columnGap = 6, 3

// parseColumns reads TITLE:PATH,TITLE:PATH.
func parseColumns(text string) (renderer, error) {
	c := &columns{}
	for part := range strings.SplitSeq(text, ",") {
		title, path, ok := strings.Cut(part, ":")
		if !ok || path == "" {
			return nil, fmt.Errorf("%q: want TITLE:PATH, such as NAME:.name", part)
		}
		path = relaxPath(path)
		if err := jsonpath.New("column").Parse(path); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		c.titles, c.paths = append(c.titles, title), append(c.paths, path)
	}
	c.widths = make([]int, len(c.titles))
	return c.render, nil
}

// columnsOfFile reads a file with the titles in its first line and the paths in its second.
func columnsOfFile(text string) (string, error) {
	titles, rest, _ := strings.Cut(text, "\n")
	paths, _, _ := strings.Cut(rest, "\n")
	left, right := strings.Fields(titles), strings.Fields(paths)
	if len(left) == 0 || len(left) != len(right) {
		return "", errors.New("want a line of titles and a line of as many paths, with spaces between")
	}
	for i := range left {
		left[i] += ":" + right[i]
	}
	return strings.Join(left, ","), nil
}

// render writes the titles once, then a line for each object, or for the single object.
func (c *columns) render(b *bytes.Buffer, value any) error {
	objects, ok := value.([]any)
	if !ok {
		objects = []any{value}
	}
	var lines [][]string
	if !c.titled {
		lines, c.titled = append(lines, c.titles), true
	}
	for _, o := range objects {
		cells := make([]string, len(c.paths))
		for i, path := range c.paths {
			cell, err := cellOf(o, path)
			if err != nil {
				return err
			}
			cells[i] = cell
		}
		lines = append(lines, cells)
	}
	for _, line := range lines {
		for i, cell := range line {
			c.widths[i] = max(c.widths[i], leastColumn, ansi.StringWidth(cell)+columnGap)
		}
	}
	for _, line := range lines {
		for i, cell := range line {
			b.WriteString(cell)
			if i < len(line)-1 {
				b.WriteString(strings.Repeat(" ", c.widths[i]-ansi.StringWidth(cell)))
			}
		}
		b.WriteByte('\n')
	}
	return nil
}

// cellOf returns the values that a path finds in an object, separated by commas.
func cellOf(object any, path string) (string, error) {
	j := jsonpath.New("column").AllowMissingKeys(true)
	if err := j.Parse(path); err != nil {
		return "", err
	}
	found, err := j.FindResults(object)
	if err != nil {
		return "", err
	}
	if len(found) == 0 || len(found[0]) == 0 {
		return "<none>", nil
	}
	var all []string
	for _, values := range found {
		for _, v := range values {
			all = append(all, words.Escape(fmt.Sprint(v.Interface())))
		}
	}
	return strings.Join(all, ","), nil
}
