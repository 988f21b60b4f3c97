/** C too: what C has and C++ refuses is a handful of names, such as \`class\`. */
export const cppQuery = `
(function_definition declarator: (_ (function_declarator declarator: (identifier) @name))) @definition.function
(function_definition declarator: (function_declarator declarator: [(identifier) (operator_name)] @name)) @definition.function
(function_definition declarator: (function_declarator
  declarator: [(field_identifier) (destructor_name) (operator_name)] @name)) @definition.method
(function_definition declarator: (_ (function_declarator declarator: (field_identifier) @name))) @definition.method
(function_definition declarator: (function_declarator
  declarator: (qualified_identifier scope: (_) @receiver name: [(identifier) (destructor_name) (operator_name)] @name)))
  @definition.method
(function_definition declarator: (_ (function_declarator
  declarator: (qualified_identifier scope: (_) @receiver name: (identifier) @name)))) @definition.method
(function_definition declarator: (function_declarator declarator: (qualified_identifier
  name: (qualified_identifier scope: (_) @receiver name: [(identifier) (destructor_name) (operator_name)] @name))))
  @definition.method
(function_definition declarator: (_ (function_declarator declarator: (qualified_identifier
  name: (qualified_identifier scope: (_) @receiver name: (identifier) @name))))) @definition.method
(declaration declarator: (function_declarator declarator: (identifier) @name)) @definition.function.prototype
(declaration declarator: (_ (function_declarator declarator: (identifier) @name))) @definition.function.prototype
(field_declaration declarator: (function_declarator declarator: (field_identifier) @name)) @definition.method.prototype
(field_declaration declarator: (_ (function_declarator declarator: (field_identifier) @name))) @definition.method.prototype
(class_specifier name: (_) @name body: (_)) @definition.class
(struct_specifier name: (_) @name body: (_)) @definition.struct
(union_specifier name: (_) @name body: (_)) @definition.struct
(enum_specifier name: (_) @name body: (_)) @definition.enum
(type_definition declarator: (type_identifier) @name) @definition.type
(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.type
(namespace_definition name: (_) @name) @definition.module
(preproc_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name) @definition.macro
(field_declaration declarator: (field_identifier) @name) @definition.field
(field_declaration declarator: (_ (field_identifier) @name)) @definition.field
(enumerator name: (identifier) @name) @definition.field
(translation_unit (declaration declarator: (identifier) @name) @definition.variable)
(translation_unit (declaration declarator: (init_declarator declarator: (identifier) @name)) @definition.variable)
(translation_unit (declaration declarator: (init_declarator declarator: (_ (identifier) @name))) @definition.variable)
(declaration_list (declaration declarator: (identifier) @name) @definition.variable)
(declaration_list (declaration declarator: (init_declarator declarator: (identifier) @name)) @definition.variable)

(preproc_include path: [(string_literal) (system_lib_string)] @source) @import

(parameter_declaration declarator: (identifier) @local)
(parameter_declaration declarator: (_ (identifier) @local))
(optional_parameter_declaration declarator: (identifier) @local)
(declaration declarator: (identifier) @local)
(declaration declarator: (_ . (identifier) @local))
(init_declarator declarator: (identifier) @local)
(init_declarator declarator: (_ (identifier) @local))
(for_range_loop declarator: (identifier) @local)
(for_range_loop declarator: (_ (identifier) @local))
(type_parameter_declaration (type_identifier) @local)

(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call.member))
(call_expression function: (qualified_identifier name: (identifier) @call.member))
(call_expression function: (template_function name: (identifier) @call))
(new_expression type: (type_identifier) @call)
(field_initializer (field_identifier) @member)
(field_expression field: (field_identifier) @member)
(qualified_identifier name: [(identifier) (type_identifier)] @member)
(field_designator (field_identifier) @member)
(type_identifier) @use
(namespace_identifier) @use
(identifier) @use
`;
