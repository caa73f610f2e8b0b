package logs

import (
	"strings"

	"rung/model/logline"
	"rung/model/words"
)

// NodesAndFiles separates node logs and log files.
func NodesAndFiles(streams []logline.Stream) (nodes, files []logline.Stream) {
	for _, s := range streams {
		if s.File == "" {
			nodes = append(nodes, s)
		} else {
			files = append(files, s)
		}
	}
	return nodes, files
}

// checkFiles tells whether the log files are read and contain ACL lines: a file named by mistake has lines,
// too.
func (c *checkList) checkFiles(files []logline.Stream) {
	var lines, acls uint64
	var quiet []string
	for i := range files {
		s := &files[i]
		lines, acls = lines+s.Lines, acls+s.ACLs
		switch {
		case s.State == logline.StreamGone:
			c.add("files", Wrong, "%s was deleted; it is read again when it returns.", s.File)
		case !s.IsUp() && s.Error != "":
			c.add("files", Wrong, "%s cannot be read: %s.", s.File, s.Error)
		}
		if s.ACLs == 0 {
			quiet = append(quiet, s.File[strings.LastIndexAny(s.File, `/\`)+1:])
		}
	}
	all := words.Count(len(files), "log file")
	switch {
	case lines == 0:
		c.add("files", Unknown, "No line so far in %s.", all)
	case acls == 0:
		c.add("files", Wrong, "%s: %s", all, NoACLLines(lines)).
			Remedy = "use the log with ACL lines: acl-audit-log.log on OpenShift, otherwise ovn-controller's"
	default:
		c.add("files", Fine, "%s in %s.", words.Count(acls, "ACL line"), all)
		if len(quiet) > 0 {
			c.add("files", Unknown, "No ACL line so far in %s.", words.ListFew(quiet, 3))
		}
	}
}

// NoACLLines tells that log files contain other lines only.
func NoACLLines(lines uint64) string {
	return words.Count(lines, "line") + words.OneOrMany(int(min(lines, 2)), " was read, but is not an ACL line.",
		" were read, but none is an ACL line.")
}
