package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	cdx "github.com/CycloneDX/cyclonedx-go"

	"rung/release/licences"
)

// licenceSBOMs adds to every list of modules the licence of each, as LICENSES has it.
func licenceSBOMs(root, dist string) error {
	modules, err := licences.Linked(root)
	if err != nil {
		return err
	}
	ids := map[string][]string{}
	for _, m := range modules {
		ids[m.Path] = m.SPDX
	}
	ids["std"] = ids["Go"]
	lists, err := filepath.Glob(filepath.Join(dist, "*.cdx.json"))
	if err != nil {
		return fmt.Errorf("looking for SBOMs: %w", err)
	}
	for _, path := range lists {
		if err := licenceSBOM(path, ids); err != nil {
			return fmt.Errorf("adding licences to %s: %w", path, err)
		}
	}
	return nil
}

// licenceSBOM writes the licences of modules, by their paths, into a list.
func licenceSBOM(path string, ids map[string][]string) (err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var bom cdx.BOM
	if err := json.Unmarshal(text, &bom); err != nil {
		return err
	}
	add := func(c *cdx.Component, ids []string) {
		list := cdx.Licenses{}
		for _, id := range ids {
			list = append(list, cdx.LicenseChoice{License: &cdx.License{ID: id}})
		}
		c.Licenses = &list
	}
	add(bom.Metadata.Component, []string{"Apache-2.0"})
	for i := range *bom.Components {
		c := &(*bom.Components)[i]
		if len(ids[c.Name]) == 0 {
			return fmt.Errorf("module %s is not among those whose licences are known", c.Name)
		}
		add(c, ids[c.Name])
	}
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	return cdx.NewBOMEncoder(out, cdx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false).EncodeVersion(&bom, cdx.SpecVersion1_6)
}
