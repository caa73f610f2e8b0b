package main

import (
	"bytes"
	"regexp"
	"strings"
)

// failures picks out of what go test and test/fuzz print what failed. It is written
// to as the output comes.
type failures struct {
	rest  []byte   // of a line that has not ended
	tests []string // of the package that is being printed
	why   string   // the first reason of its that belongs to no test
	found []string
	last  []string // lines, in case nothing was found
}

// keepLast is how many lines are shown of a part that says nothing of a test.
const keepLast = 5

var (
	testFailed = regexp.MustCompile(`^\s*--- FAIL: (\S+)`)
	packFailed = regexp.MustCompile(`^FAIL\t(\S+)(?:\s+(\[.*\]))?`)
	fuzzFailed = regexp.MustCompile(`^FAIL +\d+/\d+ (\S+ \S+)`)
	packPassed = regexp.MustCompile(`^ok  \t`)
	otherwise  = regexp.MustCompile(`^(panic: .*|fatal error: .*|goleak: .*|WARNING: DATA RACE)`)
)

// Write takes in the next output; it never fails.
func (f *failures) Write(b []byte) (int, error) {
	f.rest = append(f.rest, b...)
	for {
		line, rest, whole := bytes.Cut(f.rest, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		f.line(strings.TrimRight(string(line), "\r"))
		f.rest = rest
	}
}

func (f *failures) line(line string) {
	if strings.TrimSpace(line) != "" {
		f.last = append(f.last[max(0, len(f.last)-keepLast+1):], line)
	}
	switch {
	case packPassed.MatchString(line):
		f.tests, f.why = nil, ""
	case testFailed.MatchString(line):
		f.test(testFailed.FindStringSubmatch(line)[1])
	case packFailed.MatchString(line):
		m := packFailed.FindStringSubmatch(line)
		f.found = append(f.found, join(m[1], m[2], strings.Join(f.tests, ", "), f.why))
		f.tests, f.why = nil, ""
	case fuzzFailed.MatchString(line):
		f.found = append(f.found, strings.Join(strings.Fields(fuzzFailed.FindStringSubmatch(line)[1]), "  "))
	case f.why == "" && otherwise.MatchString(line):
		f.why = line
	}
}

// test notes a test that failed; one with parts that failed is not named besides.
func (f *failures) test(name string) {
	if n := len(f.tests); n > 0 && strings.HasPrefix(name, f.tests[n-1]+"/") {
		f.tests = f.tests[:n-1]
	}
	f.tests = append(f.tests, name)
}

// list returns the failed tests, a line each, or the last lines where nothing else is known.
func (f *failures) list() []string {
	switch {
	case len(f.tests) > 0: // their package did not end
		return append(f.found, join(strings.Join(f.tests, ", "), f.why))
	case len(f.found) > 0:
		return f.found
	}
	return f.last
}

func join(words ...string) string {
	var said []string
	for _, w := range words {
		if w != "" {
			said = append(said, w)
		}
	}
	return strings.Join(said, "  ")
}
