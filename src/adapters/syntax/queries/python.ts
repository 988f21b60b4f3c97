export const pythonQuery = `
(function_definition name: (identifier) @name) @definition.function
(class_definition name: (identifier) @name) @definition.class
(type_alias_statement left: (type (identifier) @name)) @definition.type
(module (expression_statement (assignment left: (identifier) @name) @definition.constant))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @definition.field)))
(assignment left: (attribute object: (identifier) @self attribute: (identifier) @name) (#eq? @self "self")) @definition.field

(import_statement name: (dotted_name) @source) @import
(import_statement name: (aliased_import name: (dotted_name) @source alias: (identifier) @namespace)) @import
(import_from_statement module_name: (_) @source) @import
(import_from_statement module_name: (_) @source name: (dotted_name) @imported) @import
(import_from_statement module_name: (_) @source
  name: (aliased_import name: (dotted_name) @imported alias: (identifier) @alias)) @import

(parameters (identifier) @local)
(lambda_parameters (identifier) @local)
(typed_parameter . (identifier) @local)
(default_parameter name: (identifier) @local)
(typed_default_parameter name: (identifier) @local)
(list_splat_pattern (identifier) @local)
(dictionary_splat_pattern (identifier) @local)
(assignment left: (identifier) @local)
(augmented_assignment left: (identifier) @local)
(pattern_list (identifier) @local)
(tuple_pattern (identifier) @local)
(for_statement left: (identifier) @local)
(for_in_clause left: (identifier) @local)
(as_pattern_target (identifier) @local)
(named_expression name: (identifier) @local)

(dotted_name (identifier) @ignored . (identifier))
(keyword_argument name: (identifier) @ignored)
(call function: (identifier) @call)
(call function: (attribute attribute: (identifier) @call.member))
(attribute attribute: (identifier) @member)
(identifier) @use
`;
