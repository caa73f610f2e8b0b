// Command gen writes the models of this folder with libovsdb's generator, from a schema
// of OVN_Northbound of which the tables and columns stay that model/ovn/nb knows.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ovn-kubernetes/libovsdb/modelgen"
	"github.com/ovn-kubernetes/libovsdb/ovsdb"

	"rung/model/ovn/nb"
)

func main() {
	file := flag.String("schema", "", "file with the schema of OVN_Northbound")
	out := flag.String("out", ".", "folder to write to")
	flag.Parse()
	if err := generate(*file, *out); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func generate(file, out string) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading the schema: %w", err)
	}
	var schema ovsdb.DatabaseSchema
	if err := json.Unmarshal(raw, &schema); err != nil {
		return fmt.Errorf("reading the schema %s: %w", file, err)
	}
	gen, err := modelgen.NewGenerator()
	if err != nil {
		return fmt.Errorf("preparing the generator: %w", err)
	}
	for _, row := range []nb.Row{&nb.ACL{}, &nb.AddressSet{}, &nb.PortGroup{}, &nb.LogicalSwitch{}, &nb.LogicalSwitchPort{},
		&nb.Meter{}, &nb.MeterBand{}, &nb.Global{}} {
		name := nb.TableOf(row)
		table := schema.Tables[name]
		columns := map[string]*ovsdb.ColumnSchema{}
		for _, c := range nb.Columns(row) {
			if columns[c.Name] = table.Columns[c.Name]; columns[c.Name] == nil {
				return fmt.Errorf("%s has no column %s.%s", file, name, c.Name)
			}
		}
		table.Columns = columns
		data := modelgen.GetTableTemplateData("northbound", name, &table)
		data.WithExtendedGen(true)
		data.WithEnumTypes(false)
		path := filepath.Join(out, modelgen.FileName(name))
		if err := gen.Generate(path, modelgen.NewTableTemplate(), data); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
	}
	return nil
}
