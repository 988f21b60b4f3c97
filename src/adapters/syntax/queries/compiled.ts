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

export const csharpQuery = `
(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(struct_declaration name: (identifier) @name) @definition.struct
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(delegate_declaration name: (identifier) @name) @definition.type
(namespace_declaration name: (_) @name) @definition.module
(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.method
(local_function_statement name: (identifier) @name) @definition.function
(property_declaration name: (identifier) @name) @definition.field
(event_declaration name: (identifier) @name) @definition.field
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
(record_declaration (parameter_list (parameter name: (identifier) @name) @definition.field))
(enum_member_declaration name: (identifier) @name) @definition.field

(using_directive [(identifier) (qualified_name)] @source) @import

(parameter name: (identifier) @local)
(variable_declarator name: (identifier) @local)
(implicit_parameter) @local
(foreach_statement left: (identifier) @local)
(declaration_expression name: (identifier) @local)
(declaration_pattern name: (identifier) @local)
(catch_declaration name: (identifier) @local)
(type_parameter name: (identifier) @local)

(using_directive (identifier) @ignored)
(using_directive (qualified_name name: (identifier) @ignored))
(qualified_name qualifier: (identifier) @ignored)
(namespace_declaration name: (qualified_name name: (identifier) @ignored))
(argument name: (identifier) @ignored)
(invocation_expression function: (identifier) @call)
(invocation_expression function: (generic_name (identifier) @call))
(invocation_expression function: (member_access_expression name: (identifier) @call.member))
(invocation_expression function: (member_access_expression name: (generic_name (identifier) @call.member)))
(invocation_expression function: (conditional_access_expression (member_binding_expression name: (identifier) @call.member)))
(object_creation_expression type: (identifier) @call)
(object_creation_expression type: (generic_name (identifier) @call))
(member_access_expression name: (identifier) @member)
(member_binding_expression name: (identifier) @member)
(qualified_name name: (identifier) @member)
(identifier) @use
`;

export const goQuery = `
(function_declaration name: (identifier) @name) @definition.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @receiver
    (pointer_type (type_identifier) @receiver)
    (generic_type type: (type_identifier) @receiver)
    (pointer_type (generic_type type: (type_identifier) @receiver))
  ]))
  name: (field_identifier) @name) @definition.method
(type_spec name: (type_identifier) @name type: (struct_type)) @definition.struct
(type_spec name: (type_identifier) @name type: (interface_type)) @definition.interface
(type_spec name: (type_identifier) @name) @definition.type
(type_alias name: (type_identifier) @name) @definition.type
(method_elem name: (field_identifier) @name) @definition.method
(field_declaration name: (field_identifier) @name) @definition.field
(source_file (const_declaration (const_spec name: (identifier) @name) @definition.constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @definition.variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @definition.variable)))

(import_spec !name path: (interpreted_string_literal (interpreted_string_literal_content) @source)) @import
(import_spec name: (package_identifier) @namespace
  path: (interpreted_string_literal (interpreted_string_literal_content) @source)) @import

(parameter_declaration name: (identifier) @local)
(variadic_parameter_declaration name: (identifier) @local)
(type_parameter_declaration name: (identifier) @local)
(short_var_declaration left: (expression_list (identifier) @local))
(range_clause left: (expression_list (identifier) @local))
(var_spec name: (identifier) @local)
(const_spec name: (identifier) @local)

(call_expression function: (identifier) @call)
(call_expression function: (selector_expression field: (field_identifier) @call.member))
(composite_literal type: (type_identifier) @call)
(composite_literal type: (qualified_type name: (type_identifier) @call.member))
(keyed_element key: (literal_element (identifier) @member))
(selector_expression field: (field_identifier) @member)
(qualified_type name: (type_identifier) @member)
(type_identifier) @use
(identifier) @use
`;

export const javaQuery = `
(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(annotation_type_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.method
(compact_constructor_declaration name: (identifier) @name) @definition.method
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.field
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @definition.field))
(enum_constant name: (identifier) @name) @definition.field

(import_declaration (scoped_identifier) @source) @import

(variable_declarator name: (identifier) @local)
(formal_parameter name: (identifier) @local)
(catch_formal_parameter name: (identifier) @local)
(enhanced_for_statement name: (identifier) @local)
(resource name: (identifier) @local)
(lambda_expression parameters: (identifier) @local)
(inferred_parameters (identifier) @local)
(instanceof_expression name: (identifier) @local)
(type_parameter (type_identifier) @local)

(scoped_identifier scope: (identifier) @ignored)
(scoped_identifier scope: (scoped_identifier name: (identifier) @ignored))
(package_declaration (scoped_identifier (identifier) @ignored))
(method_invocation !object name: (identifier) @call)
(method_invocation object: (_) name: (identifier) @call.member)
(method_reference (_) (identifier) @call.member)
(object_creation_expression type: (type_identifier) @call)
(object_creation_expression type: (generic_type (type_identifier) @call))
(field_access field: (identifier) @member)
(type_identifier) @use
(identifier) @use
`;

export const rustQuery = `
(function_item name: (identifier) @name) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
(struct_item name: (type_identifier) @name) @definition.struct
(union_item name: (type_identifier) @name) @definition.struct
(enum_item name: (type_identifier) @name) @definition.enum
(trait_item name: (type_identifier) @name) @definition.trait
(type_item name: (type_identifier) @name) @definition.type
(associated_type name: (type_identifier) @name) @definition.type
(mod_item name: (identifier) @name) @definition.module
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.constant
(macro_definition name: (identifier) @name) @definition.macro
(field_declaration name: (field_identifier) @name) @definition.field
(enum_variant name: (identifier) @name) @definition.field
(impl_item type: [
  (type_identifier) @name
  (generic_type type: (type_identifier) @name)
  (scoped_type_identifier name: (type_identifier) @name)
]) @scope

(use_declaration argument: (_) @source) @import

(parameter pattern: (identifier) @local)
(parameter pattern: (mut_pattern (identifier) @local))
(let_declaration pattern: (identifier) @local)
(let_condition pattern: (identifier) @local)
(for_expression pattern: (identifier) @local)
(closure_parameters (identifier) @local)
(tuple_pattern (identifier) @local)
(tuple_struct_pattern type: (_) (identifier) @local)
(captured_pattern (identifier) @local)
(ref_pattern (identifier) @local)
(shorthand_field_identifier) @local
(type_parameter name: (type_identifier) @local)

(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call.member))
(call_expression function: (scoped_identifier name: (identifier) @call.member))
(call_expression function: (generic_function function: (identifier) @call))
(call_expression function: (generic_function function: (scoped_identifier name: (identifier) @call.member)))
(call_expression function: (generic_function function: (field_expression field: (field_identifier) @call.member)))
(macro_invocation macro: (identifier) @call)
(struct_expression name: (type_identifier) @call)
(field_initializer field: (field_identifier) @member)
(field_expression field: (field_identifier) @member)
(scoped_identifier name: (identifier) @member)
(scoped_type_identifier name: (type_identifier) @member)
(type_identifier) @use
(identifier) @use
`;
