package logfile

import (
	"bufio"
	"io"
	"strings"

	"rung/sources/reading"
)

// nodeName is the node of a pod, by the file a must-gather keeps of it.
func nodeName(path string) string {
	const most = 1 << 20
	f, err := reading.Regular(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(io.LimitReader(f, most)); lines.Scan(); {
		if name, ok := strings.CutPrefix(lines.Text(), "  nodeName: "); ok {
			return strings.Trim(strings.TrimSpace(name), `"'`)
		}
	}
	return ""
}
