package schemas

import (
	"embed"
	"encoding/xml"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:embed published
var published embed.FS

var sarif = sync.OnceValues(func() (*jsonschema.Schema, error) {
	f, err := published.Open("published/sarif-2.1.0-rtm.5.json")
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("sarif.json")
})

// CheckSARIF holds a text against the schema of SARIF 2.1.0.
func CheckSARIF(text string) error {
	schema, err := sarif()
	if err != nil {
		return err
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	return schema.Validate(doc)
}

var junit = sync.OnceValues(func() (xsd, error) {
	text, err := published.ReadFile("published/junit-10.xsd")
	if err != nil {
		return nil, err
	}
	return readXSD(text)
})

// CheckJUnit holds a text against the schema of JUnit.
func CheckJUnit(text string) error {
	schema, err := junit()
	if err != nil {
		return err
	}
	var root xsdNode
	if err := xml.Unmarshal([]byte(text), &root); err != nil {
		return err
	}
	return schema.check(&root)
}
