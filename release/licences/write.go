package licences

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Write writes the two files that go with the program: NOTICE, with the notices that modules ask to
// be passed on, and LICENSES, with every linked module and the text of its licence.
func Write(root, dir string) error {
	modules, err := Linked(root)
	if err != nil {
		return err
	}
	for name, text := range map[string]string{"NOTICE": noticeText(modules), "LICENSES": licenceText(modules)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}
	return nil
}

const rule = "\n--------------------------------------------------------------------------------\n"

// noticeText is Rung's own notice and those of modules.
func noticeText(modules []Module) string {
	var b strings.Builder
	b.WriteString("Rung\nCopyright 2026 The Rung Authors\n\nThis product has parts of the following, whose notices are passed on.\n")
	for _, m := range modules {
		for _, n := range m.Notices {
			b.WriteString(rule + m.Path + " " + m.Version + ", " + n.Name + "\n\n" + n.Text)
		}
	}
	return b.String()
}

// licenceText lists the modules, then each text once with the modules that it is of.
func licenceText(modules []Module) string {
	var b strings.Builder
	b.WriteString("Rung is under the Apache License 2.0 (LICENSE). It is linked with the modules below, whose source is at\ntheir paths. Their licences follow.\n\n")
	var texts []string
	of := map[string][]string{}
	for _, m := range modules {
		fmt.Fprintf(&b, "%s %s: %s\n", m.Path, m.Version, strings.Join(m.SPDX, ", "))
		for _, l := range m.Licences {
			if of[l.Text] == nil {
				texts = append(texts, l.Text)
			}
			of[l.Text] = append(of[l.Text], m.Path+" "+m.Version+", "+l.Name)
		}
	}
	for _, text := range texts {
		b.WriteString(rule + strings.Join(of[text], "\n") + "\n\n" + text)
	}
	return b.String()
}
