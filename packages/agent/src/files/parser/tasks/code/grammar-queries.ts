// What counts as a definition, a reference and an import in each grammar, as tree-sitter queries. A capture is named
// after what it marks: the kind of a definition on its name, `ref` on every name, `import` or `reexport` on what names
// another file.

const jsDefinitions = `
(function_declaration name: (identifier) @function)
(generator_function_declaration name: (identifier) @function)
(method_definition name: [(property_identifier) (private_property_identifier)] @method)
(program [
  (lexical_declaration (variable_declarator name: (identifier) @constant))
  (variable_declaration (variable_declarator name: (identifier) @constant))
  (export_statement [
    (lexical_declaration (variable_declarator name: (identifier) @constant))
    (variable_declaration (variable_declarator name: (identifier) @constant))])])
(import_statement source: (string (string_fragment) @import))
(export_statement source: (string (string_fragment) @reexport))
(call_expression function: (import) arguments: (arguments . (string (string_fragment) @import)))
(call_expression function: (identifier) @_call arguments: (arguments . (string (string_fragment) @import))
  (#eq? @_call "require"))
[(identifier) (property_identifier) (private_property_identifier) (shorthand_property_identifier)
 (shorthand_property_identifier_pattern)] @ref`;

const js = `${jsDefinitions}
(class_declaration name: (identifier) @class)
(field_definition property: [(property_identifier) (private_property_identifier)] @field)`;

const ts = `${jsDefinitions}
[(class_declaration name: (type_identifier) @class) (abstract_class_declaration name: (type_identifier) @class)]
(function_signature name: (identifier) @function)
(interface_declaration name: (type_identifier) @interface)
(type_alias_declaration name: (type_identifier) @type)
(enum_declaration name: (identifier) @enum)
(internal_module name: (identifier) @module)
(method_signature name: (property_identifier) @method)
(abstract_method_signature name: (property_identifier) @method)
(public_field_definition name: [(property_identifier) (private_property_identifier)] @field)
(property_signature name: (property_identifier) @field)
(type_identifier) @ref`;

/** By the name of the grammar. */
export const GRAMMAR_QUERIES: Readonly<Record<string, string>> = {
  javascript: js,
  typescript: ts,
  tsx: ts,
  python: `
(function_definition name: (identifier) @function)
(class_definition name: (identifier) @class)
(module (expression_statement (assignment left: (identifier) @constant)))
[(import_statement) (import_from_statement)] @import
(identifier) @ref`,
  rust: `
(function_item name: (identifier) @function)
(function_signature_item name: (identifier) @function)
(struct_item name: (type_identifier) @class)
(impl_item type: (type_identifier) @impl)
(enum_item name: (type_identifier) @enum)
(union_item name: (type_identifier) @class)
(trait_item name: (type_identifier) @interface)
(type_item name: (type_identifier) @type)
(const_item name: (identifier) @constant)
(static_item name: (identifier) @constant)
(macro_definition name: (identifier) @macro)
(mod_item name: (identifier) @module)
(field_declaration name: (field_identifier) @field)
(mod_item !body) @import
(use_declaration argument: (_) @import)
[(identifier) (type_identifier) (field_identifier) (shorthand_field_identifier)] @ref`,
  go: `
(function_declaration name: (identifier) @function)
(method_declaration name: (field_identifier) @method)
(method_elem name: (field_identifier) @method)
(type_spec name: (type_identifier) @type)
(type_alias name: (type_identifier) @type)
(source_file [(const_declaration (const_spec name: (identifier) @constant))
  (var_declaration (var_spec name: (identifier) @constant))])
(field_declaration name: (field_identifier) @field)
(import_spec path: (_) @import)
[(identifier) (type_identifier) (field_identifier)] @ref`,
  java: `
(class_declaration name: (identifier) @class)
(record_declaration name: (identifier) @class)
(interface_declaration name: (identifier) @interface)
(annotation_type_declaration name: (identifier) @interface)
(enum_declaration name: (identifier) @enum)
(method_declaration name: (identifier) @method)
(constructor_declaration name: (identifier) @method)
(field_declaration declarator: (variable_declarator name: (identifier) @field))
(import_declaration (scoped_identifier) @import)
[(identifier) (type_identifier)] @ref`,
  ruby: `
(method name: (_) @method)
(singleton_method name: (_) @method)
(class name: (constant) @class)
(module name: (constant) @module)
(program (assignment left: (constant) @constant))
(call method: (identifier) @_call arguments: (argument_list . (string (string_content) @import))
  (#match? @_call "^require(_relative)?$"))
[(identifier) (constant) (instance_variable) (class_variable) (global_variable)] @ref`,
  php: `
(function_definition name: (name) @function)
(class_declaration name: (name) @class)
(interface_declaration name: (name) @interface)
(trait_declaration name: (name) @interface)
(enum_declaration name: (name) @enum)
(method_declaration name: (name) @method)
(const_element (name) @constant)
(namespace_use_clause (qualified_name) @import)
[(require_expression (string (_) @import)) (require_once_expression (string (_) @import))
 (include_expression (string (_) @import)) (include_once_expression (string (_) @import))]
(name) @ref`,
  bash: `
(function_definition name: (word) @function)
(program (variable_assignment name: (variable_name) @constant))
(command name: (command_name) @_call argument: (_) @import (#match? @_call "^(source|\\\\.)$"))
[(variable_name) (command_name (word))] @ref
(function_definition name: (word) @ref)`,
  cpp: `
(function_definition declarator: (function_declarator declarator: (identifier) @function))
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @function)))
(function_definition declarator: (function_declarator declarator: (qualified_identifier name: (identifier) @method)))
(function_definition declarator: (function_declarator declarator: (field_identifier) @method))
(translation_unit (declaration declarator: (function_declarator declarator: (identifier) @function)))
(field_declaration declarator: (function_declarator declarator: (field_identifier) @method))
(field_declaration declarator: (field_identifier) @field)
(class_specifier name: (type_identifier) @class body: (_))
(struct_specifier name: (type_identifier) @class body: (_))
(union_specifier name: (type_identifier) @class body: (_))
(enum_specifier name: (type_identifier) @enum body: (_))
(type_definition declarator: (type_identifier) @type)
(alias_declaration name: (type_identifier) @type)
(preproc_def name: (identifier) @macro)
(preproc_function_def name: (identifier) @macro)
(namespace_definition name: (namespace_identifier) @module)
(preproc_include path: (_) @import)
[(identifier) (type_identifier) (field_identifier) (namespace_identifier)] @ref`,
  "c-sharp": `
(class_declaration name: (identifier) @class)
(record_declaration name: (identifier) @class)
(struct_declaration name: (identifier) @class)
(interface_declaration name: (identifier) @interface)
(enum_declaration name: (identifier) @enum)
(delegate_declaration name: (identifier) @type)
(method_declaration name: (identifier) @method)
(constructor_declaration name: (identifier) @method)
(property_declaration name: (identifier) @field)
(field_declaration (variable_declaration (variable_declarator name: (identifier) @field)))
(identifier) @ref`,
  css: `
(class_selector (class_name) @class)
(id_selector (id_name) @class)
(import_statement (_) @import)
[(class_name) (id_name)] @ref`,
};
