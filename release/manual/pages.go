package manual

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"rung/cli"
	"rung/cli/command"
	"rung/model/words"
)

// WritePages writes a page of section 1 for every command, compressed. date is on each.
func WritePages(dir string, date time.Time) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the folder of the manual: %w", err)
	}
	root := cli.Commands()
	root.DisableAutoGenTag = true
	global := root.PersistentFlags()
	global.VisitAll(asManual)
	for _, cmd := range append(root.Commands(), root) {
		if cmd.Hidden {
			continue
		}
		prepare(cmd, global)
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
		var page bytes.Buffer
		if err := doc.GenMan(cmd, &doc.GenManHeader{Section: "1", Date: &date, Source: "Rung", Manual: "Rung"}, &page); err != nil {
			return fmt.Errorf("writing the page of %s: %w", name, err)
		}
		if err := writePage(filepath.Join(dir, name+".1.gz"), mend(page.String(), date)); err != nil {
			return err
		}
	}
	return nil
}

// writePage compresses a page; without a name and a time, the same text gives the same bytes.
func writePage(path, page string) error {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = z.Write([]byte(page))
	}
	if err == nil {
		err = z.Close()
	}
	if err == nil {
		err = os.WriteFile(path, b.Bytes(), 0o644)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// prepare gives a command the texts of its page. The flags that all commands take are in rung(1)
// and rung-options(1); another page has -o alone of them, with the forms of its answer.
func prepare(cmd *cobra.Command, global *pflag.FlagSet) {
	whole := !cmd.HasParent() || cmd.Name() == "options"
	if cmd.Long == "" {
		cmd.Long = cmd.Short + "."
	}
	cmd.Long = markdown(cmd.Long)
	if !whole {
		cmd.Long += "\n\nThe flags that every command takes are in **rung-options**(1)."
	}
	forms := command.OutputForms(cmd)
	global.VisitAll(func(f *pflag.Flag) {
		f.Hidden = !whole && (f.Name != "output" || len(forms) == 0)
		if f.Name == "output" && len(forms) > 0 {
			f.Usage = "FORM of the answer: " + words.Either(append(forms, "jsonpath=…", "custom-columns=…"))
		}
	})
	cmd.LocalNonPersistentFlags().VisitAll(asManual)
}

// asManual has a flag name what it wants where cobra prints its default.
func asManual(f *pflag.Flag) {
	if _, done := f.Value.(wanted); done {
		return
	}
	name, usage := pflag.UnquoteUsage(f)
	f.Usage = escape(usage)
	if f.Value.Type() != "bool" {
		f.DefValue, f.NoOptDefVal = "*"+name+"*", ""
	}
	f.Value = wanted{f.Value}
}

// wanted is a flag whose default is the placeholder of its value, not to be quoted.
type wanted struct{ pflag.Value }

// Type is no type of which cobra would quote the default.
func (wanted) Type() string { return "placeholder" }

var special = regexp.MustCompile("[\\\\*_<>\\[\\]`|~]")

// escape has Markdown, which cobra goes by, take a text as it stands.
func escape(text string) string { return special.ReplaceAllString(text, `\$0`) }

// markdown is a text of --help in Markdown: indented lines stay as they are, as a block of code.
func markdown(text string) string {
	var b strings.Builder
	code := false
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		indented := strings.HasPrefix(line, "  ")
		if indented != code && (indented || line != "") {
			b.WriteString(map[bool]string{true: "\n```\n", false: "```\n\n"}[indented])
			code = indented
		}
		if !code {
			line = escape(line)
		}
		b.WriteString(line + "\n")
	}
	if code {
		b.WriteString("```\n")
	}
	return b.String()
}

// tabbed is a flag with its text behind a tab, which readers of manuals do not take for a list.
var tabbed = regexp.MustCompile(`(?m)^(?:\.PP\n)?(\\fB-.*)\n\t+`)

// mend makes a list of the flags, without the default of switches, which is always off. The
// flags of all commands follow those of the command. The date gets the form that readers know.
func mend(page string, date time.Time) string {
	page = strings.Replace(page, date.Format(`"Jan 2006"`), date.Format(`"2006-01-02"`), 1)
	page = strings.ReplaceAll(strings.ReplaceAll(page, "[=false]", ""), "\n.SH OPTIONS INHERITED FROM PARENT COMMANDS", "")
	return tabbed.ReplaceAllString(page, ".TP\n$1\n")
}
